// SPDX-License-Identifier: GPL-3.0-or-later
/* Why a causal profile says less than it was asked for. */
#include "cli/causal/causal_private.h"

#include "profile/base/error.h"

__attribute__((format(printf, 3, 4))) static void warn(struct causal_report *r, const char *code,
						       const char *format, ...)
{
	struct causal_warning *w = &r->warning[r->warnings];

	if (r->warnings == sizeof(r->warning) / sizeof(*r->warning))
		return;
	FORMAT_BY(vsnprintf, w->text, sizeof(w->text), format);
	w->code = code;
	r->warnings++;
}

static void warn_of_progress(struct causal_report *r)
{
	char most[400] = "";

	if (r->sites)
		causal_sites_most(r->sites, most, sizeof(most));
	if (*most)
		warn(r, "no-progress", "%s never completed. Most often these did: %s", r->progress,
		     most);
	else
		warn(r, "no-progress",
		     "%s never completed, nor did any other function that is recorded: see -g, -s",
		     r->progress);
}

static void warn_of_length(struct causal_report *r)
{
	const struct causal_result *c = r->result;

	if (c->problems & CAUSAL_TOO_SHORT && c->left_out > c->slopes.windows)
		warn(r, "too-short",
		     "%zu of %zu windows were left out, as nothing completed in them or beside "
		     "them, and fewer than %d others tell nothing. Give a longer --window, or let "
		     "it run longer",
		     c->left_out, c->left_out + c->slopes.windows, SLOPES_WINDOWS);
	else if (c->problems & CAUSAL_TOO_SHORT && c->slopes.windows)
		warn(r, "too-short",
		     "only %zu windows of %.3g s were had, and fewer than %d tell nothing. Let it "
		     "run longer, or give a shorter --window",
		     c->slopes.windows, c->window_s, SLOPES_WINDOWS);
	else if (c->problems & CAUSAL_TOO_SHORT && !r->warnings)
		warn(r, "too-short",
		     "it ended before the experiment began. Let it run longer: 10 s at the least");
	if (c->problems & CAUSAL_SITES_LEFT_OUT)
		warn(r, "sites-left-out",
		     "there are more sites than can be told apart in this time. Those that take "
		     "most were delayed. Name others by --at, or run longer with --sites");
	if (c->problems & CAUSAL_LATE)
		warn(r, "late-windows",
		     "windows began late: the machine is busy. Intervals are wider for it; leave "
		     "the tool a CPU");
	if (c->problems & CAUSAL_SKIPPED)
		warn(r, "skipped-delays",
		     "more than 1 %% of the delays were not made: limits, handlers, nested calls. "
		     "Effects count only those that were; a lower --slowdown skips fewer");
}

static void warn_of_effects(struct causal_report *r)
{
	const struct causal_result *c = r->result;

	if (c->problems & CAUSAL_SLOWER_THAN_ASKED)
		warn(r, "slower-than-asked",
		     "all delays together cost %s %%, more than the %.3g %% asked for. Give a "
		     "lower --slowdown where that matters",
		     numbered_digits(100 * c->slopes.slowdown.value, 2).text, 100 * c->asked);
	if (c->problems & CAUSAL_CARRIED)
		warn(r, "carried-over",
		     "effects of %.120s outlast a window of %.3g s: a queue is long between it and "
		     "%s. What the next window shows is added; a longer --window shows more",
		     causal_report_name(r, c->slopes.carrier), c->window_s, r->progress);
}

void causal_report_warn(struct causal_report *r, bool none_matched)
{
	unsigned problems = r->result->problems;

	if (problems & CAUSAL_NO_PROGRESS)
		warn_of_progress(r);
	if (none_matched)
		warn(r, "no-such-site",
		     "no call was seen at the sites of --at or --confirm. Without these all sites "
		     "are shown");
	else if (problems & CAUSAL_NO_SITES)
		warn(r, "no-sites",
		     "no other calls that take time were seen to delay. Record more: -g all, -s, "
		     "or regions");
	warn_of_length(r);
	warn_of_effects(r);
}

void causal_report_warn_unsampled(struct causal_report *r, const char *why)
{
	warn(r, "not-sampled", "what is computed outside of calls is not known: %.200s", why);
}

const char *causal_report_name(const struct causal_report *r, size_t site)
{
	for (size_t i = 0; i < r->rows; i++)
		if (site < r->result->sites && r->row[i].site == &r->result->site[site])
			return r->row[i].label;
	return "another site";
}
