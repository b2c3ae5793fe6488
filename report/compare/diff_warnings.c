// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reader must know before trusting a comparison, and what to do about it. */
#include "report/compare/diff.h"

#include <inttypes.h>
#include <string.h>

#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/wording/warning_list.h"

#define warn(d, ...) warning_list_note(d, __VA_ARGS__)

static void warn_recording(struct diff *d)
{
	const struct profile *a = d->profile[0];
	const struct prof_clock *clock = NULL;
	bool filters = false, groups = false;

	for (uint32_t i = 1; i < d->profiles; i++) {
		const struct profile *b = d->profile[i];

		if (!clock && (a->clock.kind != b->clock.kind ||
			       !(a->clock.tick_ns < 1.5 * b->clock.tick_ns &&
				 b->clock.tick_ns < 1.5 * a->clock.tick_ns)))
			clock = &b->clock;
		filters |= a->filters_bytes != b->filters_bytes ||
			   memcmp(a->filters, b->filters, a->filters_bytes) != 0;
		groups |= a->groups != b->groups;
	}
	if (clock)
		warn(d, "profiles-differ", "The sides were timed with different clocks (%s, %s)",
		     report_names_clock(a->clock.kind), report_names_clock(clock->kind));
	if (filters)
		warn(d, "profiles-differ", "Not all profiles were recorded with the same filters");
	if (groups)
		warn(d, "profiles-differ",
		     "Not all profiles were recorded with the same groups (-g)");
}

static void warn_samples(struct diff *d)
{
	bool any = false;
	uint32_t empty = 0;

	for (uint32_t i = 0; i < d->profiles; i++) {
		any |= d->profile[i]->sampling.period_ns > 0;
		empty += d->profile[i]->sampling.period_ns > 0 && !d->profile[i]->samples;
	}
	if (!any || d->computing)
		return;
	if (empty)
		warn(d, "not-sampled",
		     "What was computed is not compared: %" PRIu32 " of %" PRIu32
		     " runs ended before their first sample",
		     empty, d->profiles);
	else
		warn(d, "not-sampled",
		     "What was computed is not compared: not all profiles have samples of one "
		     "kind");
}

static void warn_modules(struct diff *d)
{
	bool left_out = false;

	for (uint32_t i = 0; i < d->match->vagues; i++)
		warn(d, "missing-module",
		     "%s differs between the sides, or has no build-id, or no names on one of them",
		     d->match->vague[i]);
	for (uint32_t i = 0; i < d->profiles; i++)
		left_out |= d->profile[i]->modules && symbolize_left_out(d->match->symbols[i]);
	if (left_out)
		warn(d, "names-left-out", "Names were left out: files are too large");
}

static void warn_losses(struct diff *d)
{
	uint64_t skipped = 0;

	for (uint32_t i = 0; i < d->profiles; i++)
		skipped += d->profile[i]->losses.skipped_calls + d->profile[i]->uncopied_calls;
	if (d->overflow_calls)
		warn(d, "overflow",
		     "%" PRIu64 " calls found no room in a profile and are not compared",
		     d->overflow_calls);
	if (skipped)
		warn(d, "calls-skipped",
		     "%" PRIu64 " calls were passed through without being timed", skipped);
}

static void warn_unreliable(struct diff *d)
{
	static const unsigned reasons[] = {STATS_SYNCHRONOUS, STATS_FEW_INDEPENDENT,
					   STATS_HEAVY_TAIL};

	for (size_t k = 0; k < sizeof(reasons) / sizeof(reasons[0]); k++) {
		const char *name = reliability_name(reasons[k]);
		uint32_t sites = 0;

		for (uint32_t i = 0; i < d->sites; i++)
			sites += d->site[i].verdict.status == DIFF_UNTESTED &&
				 !strcmp(d->site[i].verdict.reason, name);
		if (sites)
			warn(d, name, "%" PRIu32 " site%s could not be compared", sites,
			     sites == 1 ? "" : "s");
	}
}

/* A comparison of one run a side cannot show run-to-run variation. */
static void warn_pair(struct diff *d)
{
	uint32_t alone = 0;

	for (uint32_t i = 0; i < d->sites && d->profiles == 2; i++)
		alone += d->site[i].verdict.status == DIFF_SAME &&
			 d->site[i].verdict.against == DIFF_TOTAL;
	if (alone)
		warn(d, "one-run-a-side",
		     "At %" PRIu32
		     " site%s only changes beyond %.3g %% count: one run a side tells no more",
		     alone, alone == 1 ? "" : "s", 100 * d->options.run_to_run);
}

void diff_warnings_make(struct diff *d)
{
	warn_recording(d);
	warn_samples(d);
	warn_pair(d);
	warn_unreliable(d);
	warn_modules(d);
	warn_losses(d);
}
