// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run/recording.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "collector/shared_page.h"
#include "include/scprof_control.h"
#include "report/symbols/function_names.h"
#include "report/wording/numbers.h"
#include "stats/numerics/random.h"

#define KEEP_PROCESSES 64 /* beyond them those of one program become one */

bool recording_wants_stubs(const struct recording *r)
{
	return r->options.symbols || *r->options.ready_made;
}

uint64_t recording_tick(const struct run_options *o, struct ticker_cost *cost)
{
	struct ticker_cost ignored = {0};

	cost = cost ? cost : &ignored;
	if (o->clock != SCP_CLOCK_PAGE && o->clock != SCP_CLOCK_DUAL)
		return 0;
	ticker_cost_measure(cost);
	uint64_t least_ns = ticker_cost_least_tick(cost);
	if (o->exact_tick || o->tick_ns >= least_ns)
		return o->tick_ns;
	if (o->tick_asked)
		say_format("a tick takes %s here: with one every %s, %.0f %% of a CPU. The tick is "
			   "%s, 1 %%.\n--exact-tick keeps the shorter one",
			   numbered_duration((double)cost->taken_ns, false).text,
			   numbered_duration((double)o->tick_ns, false).text,
			   100 * (double)cost->taken_ns / (double)o->tick_ns,
			   numbered_duration((double)least_ns, false).text);
	return least_ns;
}

static int start_ticker(struct recording *r, const char *page)
{
	uint64_t tick_ns = recording_tick(&r->options, &r->tick_cost);
	struct profile_error err;

	if (!tick_ns)
		return 0;
	if (r->options.tick_asked && tick_ns != r->options.tick_ns)
		r->tick_asked_ns = r->options.tick_ns;
	r->options.tick_ns = tick_ns;
	r->ticker = ticker_start(page, tick_ns, random_fresh_seed(), &err);
	if (!r->ticker)
		say(err.text);
	return r->ticker ? 0 : -1;
}

static void stop_ticker(struct recording *r)
{
	if (r->ticker)
		ticker_stop(r->ticker, &r->ticks);
	r->ticker = NULL;
	if (r->ticks.cut)
		say("a process that was measured cut the page of the clock: times from then on "
		    "are\n"
		    "not to be trusted");
	r->ticks.cut = false;
}

/* A tick that took the CPU from the command fell into its CPU time, and is an involuntary switch
 * of it. */
static void note_ticks(const struct recording *r, struct profile *p)
{
	const struct ticker_stats *s = &r->ticks;
	uint64_t hits = s->ticks;

	if (p->usage.known & SCP_USAGE_CPU)
		hits = ticker_cost_hits(s->ticks, s->stop_ns - s->start_ns, p->usage.cpu_ns,
					p->usage.involuntary);
	p->ticker_ticks = s->ticks;
	p->ticker_late_sum_ns = s->late_sum_ns;
	p->ticker_late_max_ns = s->late_max_ns;
	p->ticker_late_ticks = s->late_ticks;
	p->ticker_cost = (struct scp_ticker_cost){
		.cpu_ns = s->cpu_ns,
		.most_ns = s->ticks * r->tick_cost.taken_ns,
		.taken_ns = hits * r->tick_cost.taken_ns,
		.asked_ns = r->tick_asked_ns,
	};
}

static int prepare_filters(struct recording *r, const struct run_directory *d)
{
	const struct run_filters *f = &r->options.filters;
	struct profile_error err;
	bool by_tool = f->after || f->length || f->signal || f->until || f->attached;

	r->environment.control = by_tool ? d->control : NULL;
	if (!by_tool && f->stopped) {
		r->changes = shared_page_create(d->control, SCP_CONTROL_BYTES, SHARED_PAGE_WRITE);
		if (!r->changes)
			return say_format("%s: %s", d->control, strerror(errno));
		memcpy(r->changes->magic, SCP_CONTROL_CHANGES_MAGIC, sizeof(r->changes->magic));
		r->environment.stopped = d->control;
	}
	if (!by_tool)
		return 0;
	r->control = recording_control_create(d->control, &f->plan, &err);
	if (!r->control)
		say(err.text);
	return r->control ? 0 : -1;
}

int recording_prepare(struct recording *r, const struct run_directory *d, const char *before)
{
	const struct run_options *o = &r->options;
	const struct run_filters *f = &o->filters;
	struct environment *e = &r->environment;

	if (start_ticker(r, d->page))
		return -1;
	*e = (struct environment){
		.library = r->library,
		.stubs = r->stubs,
		.before = before,
		.profiles = d->profiles,
		.page = r->ticker ? d->page : NULL,
		.clock = o->clock,
		.tick_ns = o->tick_ns,
		.stopped = f->stopped ? SCP_CONTROL_STOPPED_RUN : NULL,
		.causal = o->dither > 0 ? d->causal : NULL,
		/* a filter that is not set must not come from our own environment either */
		.wish = {{"SCPROF_GROUPS", o->groups ? o->built_in : NULL, true},
			 {"SCPROF_SLOWEST", o->slowest, true},
			 {"SCPROF_SLOWER_THAN", o->slower_than, true},
			 {"SCPROF_SLOWEST_OF", o->slowest_of, true},
			 {"SCPROF_STATES", o->states, true},
			 {"SCPROF_VERIFY_PATHS", o->verify_paths, true},
			 {"SCPROF_BELOW", f->below, false},
			 {"SCPROF_THREADS", f->threads, false},
			 {"SCPROF_DEPTH", f->depth, false},
			 {"SCPROF_PYTHON", f->python, true},
			 {"SCPROF_NATIVE", f->native, true},
			 {"SCPROF_AFTER", f->after, false},
			 /* else the page alone ends it, with nothing left out */
			 {"SCPROF_FOR", f->attached ? NULL : f->length, false},
			 {"SCPROF_SIGNAL", f->signal, false}},
	};
	if (prepare_filters(r, d))
		return -1;
	return r->observer ? r->observer->prepare(r->observer->context, d, e) : 0;
}

void recording_begin(struct recording *r)
{
	if (r->control && recording_control_begin(r->control))
		say_format("recording will not stop or start by itself: no thread for it: %s",
			   strerror(errno));
}

void recording_sample(struct recording *r, const pid_t *pid, size_t count, bool begins)
{
	const struct run_options *o = &r->options;
	struct profile_error err;

	if (!o->sample_ns || !count)
		return;
	r->sampler = sampler_begin(pid, count, begins, o->sample_ns, r->environment.profiles, &err);
	if (!r->sampler)
		snprintf(r->unsampled, sizeof(r->unsampled), "%.200s", err.text);
	else
		sampler_follow(r->sampler, r->control, r->changes);
}

/* What was computed belongs to the profile, or why that is not known. */
static void note_samples(const struct recording *r, struct profile *p)
{
	char text[300];
	/* the kernel's account is of the whole command */
	bool stops = r->environment.control || r->options.filters.stopped;

	if (r->sampler &&
	    sampler_into(r->sampler, p, stops ? 0 : r->cpu_ns, stops ? 0 : r->user_ns))
		say("not enough memory for all samples of what the processes computed");
	snprintf(text, sizeof(text), "%s%s", PROF_FILTER_UNSAMPLED, r->unsampled);
	if (*r->unsampled)
		filters_note(p, text);
}

void recording_clean_up(struct recording *r)
{
	if (r->observer)
		r->observer->ended(r->observer->context);
	stop_ticker(r);
	if (r->sampler)
		sampler_stop(r->sampler);
	bool cut = r->control && recording_control_stop(r->control);

	if (cut || (r->changes && shared_page_was_cut(r->changes)))
		say("a process that was measured cut the page that stops and starts recording:\n"
		    "what was recorded may begin and end elsewhere");
	if (r->changes)
		shared_page_remove(r->changes, r->environment.stopped);
	r->changes = NULL;
	r->control = NULL;
	if (*r->stubs)
		unlink(r->stubs);
}

int recording_gather(struct run_directory *d, const struct launch *command, struct gathered *g)
{
	struct profile_error err;

	if (gather_profiles(d, command, g, say, &err))
		return say_format("%s\nThe files of the run are kept in %s", err.text, d->profiles);
	if (g->profile)
		return 0;
	if (g->refusals)
		say_format("no profile: none of the files could be read; they are kept in %s.\n"
			   "scprof report FILE says of each why",
			   d->profiles);
	gather_discard(d, g);
	return g->refusals ? -1 : 1;
}

static int write_and_report(struct recording *r, struct run_directory *d, const struct gathered *g)
{
	const char *saved = *r->output.path ? r->output.path : NULL;
	struct profile_error err;

	generated_keep(g->profile);
	fold_model(g->profile, KEEP_PROCESSES);
	int failed = saved ? write_profile(g->profile, saved, &err) : 0;
	if (failed) {
		saved = d->profiles;
		say(err.text);
		say_format("the profiles of the single processes are kept in %s\n"
			   "scprof merge -o OUT %s  makes one of them",
			   saved, saved);
	}
	function_names_fill(g->profile);
	run_output_report(&r->output, &r->options, saved, g->profile);
	if (failed)
		return -1;
	if (gather_discard(d, g))
		say_format("what could not be read is kept in %s", d->profiles);
	if (saved)
		say_format("profile: %s\nread it again with: scprof report %s", saved, saved);
	return 0;
}

int recording_save(struct recording *r, struct run_directory *d, const struct gathered *g)
{
	note_samples(r, g->profile);
	if (r->observer)
		return r->observer->finish(r->observer->context, d, g);
	note_ticks(r, g->profile);
	run_watch_tell(r->watch, g->profile);
	if (!r->discards)
		return write_and_report(r, d, g);
	gather_discard(d, g);
	return 0;
}

void recording_free(struct recording *r)
{
	run_watch_free(r->watch);
	sampler_free(r->sampler);
	run_options_free(&r->options);
	selection_close(&r->chosen);
	symbol_pattern_free(&r->patterns);
}
