// SPDX-License-Identifier: GPL-3.0-or-later
/* Builds a report: first its sites, then come gaps, threads, loops, slowest calls and warnings. */

#include <errno.h>
#include <stdlib.h>

#include "report/compare/diff.h"
#include "report/findings/findings.h"
#include "report/model/model.h"
#include "report/model/sites.h"
#include "report/render/formats.h"
#include "report/render/text/text.h"

/* Text and HTML show what matters of a loop; JSON shows all. A loop without the calls that --below
 * leaves out would lack their time. */
static int fill_loops(struct report *r, const uint32_t *site_of, const struct report_options *o)
{
	struct loop_limits limits = loop_limits_none;

	if ((r->by != REPORT_BY_GAP && o->format != REPORT_HTML) ||
	    r->profile->below.left_out_calls)
		return 0;
	if (o->format != REPORT_JSON && o->top)
		limits = (struct loop_limits){.states = o->top == REPORT_TOP_DEFAULT ? 20 : o->top,
					      .least_share = 0.01,
					      .least_row = 0.0005,
					      .least_chance = 0.005};
	r->loops = loop_build(r, site_of, &limits);
	return r->loops ? 0 : -1;
}

/* Beside others that want the CPUs, elapsed time says more of them than of the program. */
static enum report_sort sort_of(const struct report *r, const struct report_options *o)
{
	return r->overloaded && o->cpu_first && o->format == REPORT_TEXT &&
			       o->by <= REPORT_BY_FUNCTION &&
			       r->profile->switches.detector != SCP_SWITCH_NONE
		       ? REPORT_SORT_CPU
		       : o->sort;
}

static int fill_report(struct report *r, const struct report_options *o, uint32_t keep)
{
	struct groups groups = {0};
	bool folds = r->fold && r->by != REPORT_BY_FUNCTION;
	bool innermost = r->by == REPORT_BY_SITE || r->by == REPORT_BY_GAP;
	uint32_t *fold = folds ? groups_fold(r, innermost) : NULL;
	int status = -1;

	r->overloaded = threads_time_overloaded(r->profile);
	r->sort = sort_of(r, o);
	if ((!folds || fold) && account_threads(r) == 0 && runs_find(r) == 0 &&
	    programs_find(r, o->together) == 0 &&
	    groups_make(&groups, r->profile, r->by, fold, r->apart ? r->program_of : NULL) == 0) {
		groups.sort = r->sort;
		status = sites_build(r, &groups, keep);
	}
	if (status == 0)
		status = account_gaps(r, groups.site_of);
	if (status == 0) {
		account_perturbation(r);
		threads_time_fill(r);
		sites_share_time(r);
		status = fill_loops(r, groups.site_of, o);
	}
	r->caller = groups.caller;
	groups.caller = NULL;
	groups_free(&groups);
	free(fold);
	return status;
}

/* A clock whose ticks are randomised, or far shorter than any call, cannot be synchronous with the
 * program. */
static int untested(const struct prof_clock *c)
{
	return c->kind != SCP_CLOCK_NONE &&
			       (c->flags & SCP_CLOCK_RANDOMIZED || c->kind == SCP_CLOCK_TSC ||
				c->kind == SCP_CLOCK_MONOTONIC || c->kind == SCP_CLOCK_THREAD_CPU)
		       ? 0
		       : -1;
}

struct report *report_build(const struct profile *p, const struct report_options *o)
{
	return report_build_some(p, o, UINT32_MAX);
}

struct report *report_build_some(const struct profile *p, const struct report_options *o,
				 uint32_t keep)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->profile = p;
	PROF_SET(r, o, by, confidence, include_warmup, fold);
	r->profile_name = o->profile;
	r->bars = o->format == REPORT_JSON || o->format == REPORT_HTML;
	r->overhead = estimate_overhead(&p->clock);
	r->synchronous = untested(&p->clock);
	r->slow_synchronous = untested(&p->slow);
	states_find_stolen(r);
	PROF_SET(r, &p->losses, skipped_calls, overflow_calls);
	r->symbols = symbolize_new(p);
	if (r->symbols && o->guarded)
		symbolize_guard(r->symbols);
	if (!r->symbols || fill_report(r, o, keep) < 0 || slowest_fill(r) < 0 ||
	    ledger_fill(r) < 0 || elsewhere_fill(r) < 0) {
		report_free(r);
		return NULL;
	}
	warnings_collect(r);
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	frame_symbols_free(r);
	for (uint32_t i = 0; i < r->next_steps; i++)
		free(r->next_step[i]);
	for (uint32_t i = 0; r->site && i < r->kept; i++)
		free(r->site[i].bar);
	PROF_FREE(r, site, note, gap, thread, process, program, program_of, run_of);
	loop_free(r->loops);
	free(r->slowest);
	for (uint32_t i = 0; i < r->elsewheres; i++)
		free(r->elsewhere[i].function);
	computing_free(r);
	free(r->caller);
	free(r);
}

/* Chooses the renderer, and sees that all it wrote has arrived. */

typedef int printer(struct report *r, const struct report_options *o, FILE *out);

#define FORMAT_PRINTER(value, name, suffix, print, traits) [value] = (print),
static printer *const printers[] = {REPORT_FORMATS(FORMAT_PRINTER)};

/* Text shows a few rows of a million; gaps refer to any of them, and what is significant by
 * displacement is so among all. */
static uint32_t sites_shown(const struct profile *p, const struct report_options *o, FILE *out)
{
	return o->format == REPORT_TEXT && o->by != REPORT_BY_GAP && !p->site_costs
		       ? text_sites_read(o, out)
		       : UINT32_MAX;
}

/* `status` of a renderer, which is -1 only without memory, and whether all was written. */
static int finish(FILE *out, int status)
{
	if (fflush(out) == EOF || ferror(out)) {
		errno = errno ? errno : EIO;
		return -1;
	}
	if (status < 0)
		errno = ENOMEM;
	return status;
}

int report_print(const struct profile *p, const struct report_options *o, FILE *out)
{
	struct report *r = report_build_some(p, o, sites_shown(p, o, out));

	if (!r) {
		errno = ENOMEM;
		return -1;
	}
	errno = 0;
	next_steps_fill(r, o->format == REPORT_HTML);
	int status = printers[o->format](r, o, out);
	report_free(r);
	return finish(out, status);
}

int report_print_diff(struct diff *d, FILE *out)
{
	enum report_format format = d->options.format;

	errno = 0;
	return finish(out, format == REPORT_JSON   ? diff_json(d, out)
			   : format == REPORT_HTML ? diff_html(d, out)
						   : diff_text(d, out));
}
