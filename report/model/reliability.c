// SPDX-License-Identifier: GPL-3.0-or-later
/* Each reason has one warning: how many sites it concerns, which of them is the largest, what to
 * do. */
#include "report/model/reliability.h"
#include "report/model/warning_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/wording/numbers.h"
#include "stats/histogram/tail.h"
#include "stats/mean/mean_interval.h"
#include "stats/stats.h"

#define LEAST_OUTLIERS_TIME 0.1

static const struct {
	unsigned bit;
	const char *name, *text; /* NULL text: no warning, the row's own line says all */
} reasons[] = {
	{STATS_SYNCHRONOUS, "clock-synchronous",
	 "calls begin at preferred phases of the clock's tick, so ticks do not fall into them at "
	 "random: no interval is reliable, and the mean may be wrong by up to a tick. Use the page "
	 "clock (-c page), whose ticks are randomised, or a fast one."},
	{STATS_FEW_INDEPENDENT, "too-few-independent-batches",
	 "calls depend on one another over so long a time that the run holds only a few "
	 "independent parts (bursts, phases of the program, short threads unlike the others): "
	 "the interval is a guess. Run longer."},
	{STATS_HEAVY_TAIL, "heavy-tail",
	 "a few very long calls make up the mean, and more of them may not have been seen: the "
	 "true mean can lie above the interval. Run longer, or look at the percentiles."},
	{REPORT_WARM_UP, "warm-up",
	 "the first calls differ from all later ones (caches, connections, code that was "
	 "compiled). They are shown beside the row and are not in its mean; --include-warm-up puts "
	 "them back."},
	{REPORT_FIRST_CALL, "first-call", NULL},
	{REPORT_FEW_CALLS, "few-calls", NULL},
	{REPORT_DRIFT, "drift",
	 "the mean changed while the program ran, so it depends on when and how long one looks. "
	 "Measure the part of interest, or each part."},
	{REPORT_TWO_MODES, "two-modes",
	 "durations are bimodal: two groups with a gap between them, and the mean describes "
	 "neither. "
	 "Look at the percentiles, or separate the groups by call path or by size."},
	{REPORT_OUTLIERS, "outliers",
	 "a few outliers take a tenth of the time or more. They are in the mean; what they wait "
	 "for "
	 "is not what the other calls do."},
};

const char *reliability_name(unsigned bit)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].bit == bit)
			return reasons[i].name;
	return "none";
}

const char *reliability_tail_name(unsigned bit)
{
	return bit == TAIL_UNKNOWN ? "unknown-dependence" : "too-few-independent-bursts";
}

void reliability_names(unsigned bits, char *out, size_t room)
{
	size_t at = 0;

	*out = '\0';
	for (unsigned bit = 1; bit <= STATS_HEAVY_TAIL; bit <<= 1)
		if (bits & bit && at < room)
			at += (size_t)snprintf(out + at, room - at, "%s%s", at ? ", " : "",
					       reliability_name(bit));
}

/* A warm-up that was put back into the mean is not news, nor are few calls: the row shows them. */
unsigned reliability_findings(const struct report_site *s)
{
	unsigned findings = s->findings & ~(unsigned)REPORT_FEW_CALLS;

	if (!s->steadiness.warmup_aside)
		findings &= ~(unsigned)REPORT_WARM_UP;
	if (!(s->steadiness.outlier_time >= LEAST_OUTLIERS_TIME))
		findings &= ~(unsigned)REPORT_OUTLIERS;
	return findings;
}

/* The slow estimate of a dual run counts too: it was asked for. */
int reliability_note(struct report *r, const struct report_site *s, uint32_t row)
{
	struct report_note note = {.row = row,
				   .function = s->function,
				   .unreliable = s->estimate.unreliable |
						 (s->has_slow ? s->slow.estimate.unreliable : 0),
				   .findings = reliability_findings(s),
				   .total_ns = s->total_ns};
	struct report_note *grown;

	if (!note.unreliable && !note.findings)
		return 0;
	/* Room is doubled where the count is a power of two. */
	if (!(r->notes & (r->notes - 1))) {
		grown = realloc(r->note, (r->notes ? 2 * (size_t)r->notes : 1) * sizeof(*grown));
		if (!grown)
			return -1;
		r->note = grown;
	}
	r->note[r->notes++] = note;
	return 0;
}

static unsigned bits_of(const struct report_note *n)
{
	return n->unreliable | (n->share >= RELIABILITY_LEAST_SHARE ? n->findings : 0);
}

static void warn(struct report *r, size_t which)
{
	const struct report_note *largest = NULL;
	uint32_t sites = 0;
	double share = 0;
	char text[32];

	for (uint32_t i = 0; i < r->notes; i++) {
		if (!(bits_of(&r->note[i]) & reasons[which].bit))
			continue;
		if (!sites++)
			largest = &r->note[i]; /* the longest in total comes first */
		share += r->note[i].share;
	}
	if (!sites)
		return;
	numbers_share(text, sizeof(text), share);
	warning_list_note(r, reasons[which].name,
			  "At %" PRIu32 " of %" PRIu32
			  " rows, %s of the calls' time (first %s, row "
			  "%" PRIu32 "), %s",
			  sites, r->sites, text, r->profile->function[largest->function].name,
			  largest->row + 1, reasons[which].text);
}

void reliability_warn(struct report *r)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].text)
			warn(r, i);
}
