// SPDX-License-Identifier: GPL-3.0-or-later
/* Each warning says what it means for the numbers, and what to do. */
#include "report/findings/findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/utf8.h"
#include "report/model/sites.h"
#include "report/wording/numbers.h"
#include "report/wording/warning_list.h"
#include "stats/numerics/distributions.h"

static struct numbered percent(double value)
{
	return numbered_digits(value, 2);
}

/* Of calls that no row counts. */
static struct numbered percent_of_calls(const struct report *r, uint64_t lost)
{
	return percent(100.0 * (double)lost / ((double)lost + (double)r->calls));
}

/* "1 call never returned", "12 calls never returned", if there are any. */
static void warn_of(struct report *r, const char *code, uint64_t count, const char *one,
		    const char *many)
{
	if (count)
		warning_list_note(r, code, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

static void warn_lost_calls(struct report *r)
{
	const struct profile *p = r->profile;
	const struct scp_losses *l = &p->losses;
	/* Those without room are in the rows of their functions; a damaged profile may say of more.
	 */
	uint64_t all = r->calls > l->overflow_calls ? r->calls : l->overflow_calls;

	if (l->skipped_calls)
		warning_list_note(r, "calls-skipped",
				  "%" PRIu64
				  " calls (%s %%) were passed through without being timed",
				  l->skipped_calls, percent_of_calls(r, l->skipped_calls).text);
	if (p->uncopied_calls)
		warning_list_note(
			r, "calls-skipped",
			"%" PRIu64
			" calls (%s %%) of selected functions were not timed, the first of %s. "
			"Install the debug information of its library, or leave it out of -s",
			p->uncopied_calls, percent_of_calls(r, p->uncopied_calls).text,
			*p->uncopied_function ? p->uncopied_function : "one");
	if (l->overflow_calls)
		warning_list_note(r, "overflow",
				  "%" PRIu64 " calls (%s %%) found no room in the profile (%s)",
				  l->overflow_calls,
				  percent(100.0 * (double)l->overflow_calls / (double)all).text,
				  l->growth_errno ? strerror((int)l->growth_errno)
						  : "an index of paths or regions is full");
	warn_of(r, "calls-abandoned", l->abandoned_calls, "call never returned to its caller",
		"calls never returned to their caller");
	warn_of(r, "calls-abandoned", l->unmatched_ends,
		"end of a region had no beginning in its thread",
		"ends of regions had no beginning in their thread");
	warn_of(r, "calls-skipped", l->unclassified_calls,
		"call on a descriptor of unknown kind was not recorded",
		"calls on descriptors of unknown kind were not recorded");
}

/* Of processes, only the sums are known: with several, some may have stopped
 * and others have gone on behind their filters. */
static void warn_sandbox(struct report *r)
{
	const struct scp_losses *l = &r->profile->losses;

	warn_of(r, "sandboxed", l->stopped, "process forbade what the clock is read with",
		"processes forbade what the clock is read with");
	if (l->sandboxed)
		warning_list_note(
			r, "sandboxed", "%s",
			l->stopped ? "A program installed a seccomp filter; where it could still "
				     "read the clock it went on recording"
				   : "The program installed a seccomp filter; calls on paths seen "
				     "before are exact");
}

/* An interpreter that was met, and not read. */
static void warn_python(struct report *r, uint32_t python)
{
	static const char *const why[] = {
		[SCP_PYTHON_VERSION] = "scprof does not know this version",
		[SCP_PYTHON_FREE_THREADED] = "it is built without the global interpreter lock",
		[SCP_PYTHON_SYMBOLS] = "it exports too little",
		[SCP_PYTHON_LAYOUT] = "its memory is not laid out as that version's",
		[SCP_PYTHON_UNWATCHED] = "where code objects die cannot be watched",
	};
	uint32_t minor = SCP_PYTHON_MINOR(python), state = SCP_PYTHON_STATE(python);

	if (state <= SCP_PYTHON_READ)
		return;
	warning_list_note(r, "python-cut",
			  "Python 3.%" PRIu32 "%s is not read: its functions are missing (%s)",
			  minor, minor <= 7 ? " or older" : "",
			  state < sizeof(why) / sizeof(*why) ? why[state]
							     : "a later scprof knows why");
}

static void warn_paths(struct report *r)
{
	const struct scp_losses *l = &r->profile->losses;
	uint32_t truncated = 0, python = 0;

	for (uint32_t i = 0; i < r->profile->paths; i++) {
		if (r->profile->path[i].flags & PROF_PATH_SAMPLED)
			continue;
		truncated += (r->profile->path[i].flags & SCP_PATH_TRUNCATED) != 0;
		python += (r->profile->path[i].flags & SCP_PATH_PYTHON_CUT) != 0;
		r->heuristic_paths += (r->profile->path[i].flags & SCP_PATH_HEURISTIC) != 0;
	}
	warn_of(r, "cut-paths", l->cut_paths, "unwind ended at a frame without unwind information",
		"unwinds ended at a frame without unwind information");
	if (truncated)
		warning_list_note(r, "cut-paths", "%" PRIu32 " call path%s deeper than %u frames",
				  truncated, truncated == 1 ? " is" : "s are", SCP_MAX_FRAMES);
	warn_python(r, r->profile->python);
	warn_python(r, r->profile->python_other);
	warn_of(r, "python-cut", python, "call path lacks Python frames",
		"call paths lack Python frames");
	warn_of(r, "heuristic-paths", r->heuristic_paths,
		"call path has frames to which no unwind table led",
		"call paths have frames to which no unwind table led");
	warn_of(r, "overflow", l->modules_lost, "loaded object could not be noted",
		"loaded objects could not be noted");
	warn_of(r, "overflow", l->histogram_losses,
		"block of a histogram or of batches found no room",
		"blocks of histograms or batches found no room");
}

/* Whoever chose the tick was told before the start. */
#define COSTLY_TICKS 0.015 /* of a CPU */

static void warn_ticker_cost(struct report *r)
{
	const struct profile *p = r->profile;
	const struct prof_clock *c = p->slow.kind == SCP_CLOCK_PAGE ? &p->slow : &p->clock;
	double each_ns =
		p->ticker_ticks ? (double)p->ticker_cost.most_ns / (double)p->ticker_ticks : NAN;
	struct numbered each = numbered_duration(each_ns, false),
			used = numbered_duration(c->tick_ns, false);

	if (p->ticker_cost.asked_ns)
		warning_list_note(r, "ticker-costly",
				  "A tick of %s was asked for, and %s was used: one takes %s here",
				  numbered_duration((double)p->ticker_cost.asked_ns, false).text,
				  used.text,
				  p->ticker_ticks ? each.text : "more than 1 % of a CPU");
	else if (each_ns > COSTLY_TICKS * c->tick_ns)
		warning_list_note(r, "ticker-costly",
				  "A tick takes %s from a thread on its CPU: with one every %s, %s "
				  "%% of a CPU",
				  each.text, used.text, percent(100 * each_ns / c->tick_ns).text);
}

static void warn_clock(struct report *r)
{
	const struct profile *p = r->profile;
	const struct prof_clock *c = &p->clock, *slow = c->missing > 0 ? c : &p->slow;

	if (c->flags & SCP_CLOCK_FALLBACK) {
		/* Not known of profiles that asked for several. */
		bool known = c->requested != SCP_CLOCK_NONE && c->requested != c->kind;

		warning_list_note(
			r, "setting-ignored",
			"The clock %s was asked for but cannot be used here; %s was used instead",
			known ? report_names_clock(c->requested) : "that",
			report_names_clock(c->kind));
	}
	if (c->rate_error > 1e-3)
		warning_list_note(r, "rate-uncertain",
				  "The rate of the clock is known to %s %% only",
				  percent(100 * c->rate_error).text);
	warn_ticker_cost(r);
	if (states_ticker_is_near(p))
		warning_list_note(
			r, "ticker-near",
			"The page clock's ticker often ran on the threads' CPUs: what calls "
			"that kept their CPU take is not known");
	if (p->ticker_late_ticks && p->ticker_ticks)
		warning_list_note(
			r, "ticker-late",
			"%s %% of the ticks of the page clock came late, the worst by %s",
			percent(100.0 * (double)p->ticker_late_ticks / (double)p->ticker_ticks)
				.text,
			numbered_duration((double)p->ticker_late_max_ns, false).text);
	else if (slow->missing > 0 && !p->ticker_ticks)
		warning_list_note(r, "ticker-late",
				  "The page clock stood still for %s %% of the time, as when "
				  "scprof is killed",
				  percent(100 * slow->missing).text);
}

/* Chance alone may say so in one report of fifty: two of four sites say it. */
#define CHANCE 0.02

/* The slow clock's intervals are reliable where ticks fall at random into the program. They are
 * not where a tick slows the program down just after it was counted, or where the program waits
 * for the ticks; the fast clock shows it. */
static void warn_slow_clock(struct report *r)
{
	uint32_t sites = r->slow_sites, off = r->slow_sites_off;

	if (!off || distributions_binomial_at_least(off, sites, 1 - r->confidence) > CHANCE)
		return;
	warning_list_note(r, "slow-clock-biased",
			  "At %" PRIu32 " of the %" PRIu32
			  " sites with %d ticks or more the slow clock misses the fast mean",
			  off, sites, REPORT_TELLING_TICKS);
}

static void warn_time(struct report *r)
{
	if (!r->remainder_units || r->remainder_expected)
		return;
	warning_list_note(
		r, "time-check",
		"Calls and gaps of the threads add up to %s %s than the threads' time (%s %%)",
		numbered_duration(fabs(r->remainder_ns), false).text,
		r->remainder_units > 0 ? "less" : "more",
		percent(r->time_ns > 0 ? 100 * fabs(r->remainder_ns) / r->time_ns : 100.0).text);
}

static void warn_end(struct report *r)
{
	const struct profile *p = r->profile;
	const struct scp_losses *l = &p->losses;
	uint32_t open = 0;
	uint64_t processes = 0, torn = p->torn_entries;
	bool folded = false;		/* then of how many the end is missing is not known */
	bool lived = true, runs = true; /* all of them, for certain: at the end, and now */

	for (const struct prof_process *q = p->process; q < p->process + p->processes; q++) {
		processes += q->count;
		if (!process_end_is_open(q))
			continue;
		open++;
		folded |= q->count > 1;
		lived &= q->end.seen == SCP_END_LIVED;
		runs &= process_end_runs_now(q);
	}
	/* A process that had to stop recording could not note its end either. */
	open -= l->stopped < open ? (uint32_t)l->stopped : open;
	if (open)
		warning_list_note(r, "not-ended", "%s%" PRIu32 " of %" PRIu64 " processes %s",
				  folded ? "At least " : "", open, processes,
				  runs	  ? "still run"
				  : lived ? "still ran when the profile was saved"
					  : "may still run, or were killed: nobody saw them end");
	for (uint32_t i = 0; i < p->tables; i++)
		torn += p->table[i].states.torn;
	warn_of(r, "time-check", torn, "sum of a row or thread was being changed while it was read",
		"sums of rows or threads were being changed while they were read");
}

/* The language whose runtime was loaded; NULL: none that makes code. */
static const char *generated_language(const struct profile *p)
{
	static const char *const runtime[][2] = {{"node", "JavaScript"},
						 {"nodejs", "JavaScript"},
						 {"libnode.so", "JavaScript"},
						 {"libjvm.so", "Java"}};

	for (uint32_t i = 0; i < p->modules; i++)
		for (size_t k = 0; k < sizeof(runtime) / sizeof(*runtime); k++) {
			const char *base = base_name(p->module[i].path);
			size_t n = strlen(runtime[k][0]);

			if (!strncmp(base, runtime[k][0], n) && !isalpha((unsigned char)base[n]))
				return runtime[k][1];
		}
	return NULL;
}

/* Code that has a name shows that the options were given: then what the runtime made for itself is
 * not in its map. */
static bool lacks_names(struct report *r, const struct prof_path *path)
{
	bool unnamed = false;

	for (const struct prof_frame *f = path->frame; f < path->frame + path->frames; f++) {
		if (f->module != PROF_NO_MODULE && f->module != PROF_SOURCE && !f->heuristic)
			continue;
		const struct symbol *s = frame_symbols_find(r, f, NULL);
		if (s->language && strcmp(s->language, "python") != 0)
			return false;
		unnamed |= f->module == PROF_NO_MODULE
				   ? !s->function
				   : s->function && !strcmp(s->function,
							    "Builtins_InterpreterEntryTrampoline");
	}
	return unnamed;
}

static void warn_unnamed_code(struct report *r)
{
	const char *language = generated_language(r->profile);
	uint32_t paths = 0;

	for (uint32_t i = 0; language && i < r->profile->paths; i++)
		paths += lacks_names(r, &r->profile->path[i]);
	if (paths)
		warning_list_note(r, "unnamed-code",
				  "%" PRIu32 " call path%s through %s without names", paths,
				  paths == 1 ? " goes" : "s go", language);
}

void warnings_collect(struct report *r)
{
	double lost = computing_lost(r->profile);

	no_calls_warn(r);
	warn_lost_calls(r);
	warn_sandbox(r);
	warn_end(r);
	warn_time(r);
	warn_clock(r);
	warn_slow_clock(r);
	threads_time_warn(r);
	filter_summary_warn(r);
	attach_summary_warn(r);
	reliability_warn(r);
	warn_unnamed_code(r); /* tells what to do: before the note on such paths */
	warn_paths(r);
	if (r->profile->flags & SCP_FILE_NO_SYMBOLS)
		warning_list_note(r, "setting-ignored",
				  "Functions that SCPROF_SYMBOLS or a library's group in "
				  "SCPROF_GROUPS names were not timed: with LD_PRELOAD alone, "
				  "preload what `scprof symbols --stubs FILE PROGRAM PATTERN` "
				  "writes");
	if (*r->profile->preceded)
		warning_list_note(r, "defined-before", "%s stands before libscprof.so",
				  r->profile->preceded);
	displaced_warn(r);
	slowest_warn(r);
	if (computing_missing(r->profile))
		warning_list_note(r, "not-sampled", "There are no samples of what was computed: %s",
				  computing_missing(r->profile));
	if (lost > 0)
		warning_list_note(r, "time-check",
				  "%s %% of the CPU time has no samples, since scprof was stopped "
				  "or late; what is said of computing is of the rest",
				  percent(100 * lost).text);
	warning_list_sort(r->warning, r->warnings);
}
