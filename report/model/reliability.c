// SPDX-License-Identifier: GPL-3.0-or-later
/* Each reason has one warning: how many sites, which of them is the largest, what to do. */
#include "report/model/model.h"
#include "report/wording/warning_list.h"

#include <inttypes.h>
#include <math.h>

#include "stats/histogram/tail.h"
#include "profile/base/array.h"

#define LEAST_OUTLIERS_TIME 0.1

static const struct {
	unsigned bit;
	const char *name; /* its words: warning_codes.h */
	bool only_noted;  /* no warning: the row's own line says all */
} reasons[] = {
	{STATS_SYNCHRONOUS, "clock-synchronous", false},
	{STATS_FEW_INDEPENDENT, "too-few-independent-batches", false},
	{STATS_HEAVY_TAIL, "heavy-tail", false},
	{REPORT_WARM_UP, "warm-up", false},
	{REPORT_FIRST_CALL, "first-call", true},
	{REPORT_FEW_CALLS, "few-calls", true},
	{REPORT_DRIFT, "drift", false},
	{REPORT_TWO_MODES, "two-modes", false},
	{REPORT_OUTLIERS, "outliers", false},
	{REPORT_PYTHON_CUT, "python-cut", true},
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

struct words reliability_names(unsigned bits, const char *between)
{
	struct words to = {""};

	for (unsigned bit = 1; bit <= bits; bit <<= 1)
		if (bits & bit)
			numbers_append(&to, "%s%s", *to.text ? between : "", reliability_name(bit));
	return to;
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

int reliability_note(struct report *r, const struct report_site *s, uint32_t row)
{
	struct report_note note = {.row = row,
				   .function = s->function,
				   .unreliable = reliability_doubts(s),
				   .findings = reliability_findings(s),
				   .total_ns = s->total_ns};

	if (!note.unreliable && !note.findings)
		return 0;
	return ARRAY_PUT(r->note, r->notes, note) ? 0 : -1;
}

/* Rows of little time keep their marks, and raise no warning. Where no work took any time that the
 * clock could see there are no shares: all count. */
static bool is_meant(const struct report_note *n, unsigned bit)
{
	return (n->unreliable & bit && !(n->share < RELIABILITY_LEAST_SHARE)) ||
	       (n->findings & bit && n->share >= RELIABILITY_LEAST_SHARE);
}

static void warn(struct report *r, size_t which)
{
	const struct report_note *largest = NULL;
	uint32_t sites = 0, warnings = r->warnings;
	/* rows may lie inside others */
	double share = 0, total_ns = 0, in_calls_ns = r->calls_ns - r->nested_ns;

	for (uint32_t i = 0; i < r->notes; i++) {
		if (!is_meant(&r->note[i], reasons[which].bit))
			continue;
		if (!sites++)
			largest = &r->note[i]; /* the longest in total comes first */
		share += r->note[i].share;
		total_ns += r->note[i].total_ns;
	}
	if (!sites)
		return;
	warning_list_note(r, reasons[which].name,
			  "%" PRIu32 " row%s, %s of the time (first %s, row %" PRIu32 ")", sites,
			  sites == 1 ? "" : "s",
			  numbered_share(fmin(total_ns, in_calls_ns) / r->time_ns).text,
			  r->profile->function[largest->function].name, largest->row + 1);
	if (r->warnings > warnings) {
		r->warning[warnings].weight = share;
		r->warning[warnings].row = largest->row;
	}
}

void reliability_warn(struct report *r)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!reasons[i].only_noted)
			warn(r, i);
}
