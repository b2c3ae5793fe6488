// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of a report beside its sites, and what renderers ask about them. */
#pragma once

#include "report/report.h"
#include "report/wording/numbers.h"

/* ---- gaps, threads and processes, and whether calls and gaps add up to their time ---- */

/* Threads and processes, and the remainder. -1: out of memory. */
int account_threads(struct report *r);
/* Of calls inside of other calls, which sums over all calls have twice. */
double account_nested_ns(const struct profile *p);
bool account_starts_before(const struct prof_process *a, const struct prof_process *b);
/* After that. `site_of`: the site of each of the profile's entries. -1: out of memory. */
int account_gaps(struct report *r, const uint32_t *site_of);

/* ---- where the time of all threads went, and whether the kernel charged them as much ---- */

/* Did the threads wait for a CPU for over a fifth of their time, as the kernel counts it? */
bool threads_time_overloaded(const struct profile *p);
/* After states_find_stolen. */
void threads_time_fill(struct report *r);
/* What most of it was, to end "the program mostly ..."; NULL: not known. */
const char *threads_time_mostly(const struct report_threads_time *t);
/* Of all time on a CPU that in calls, in s; not beyond the whole on either side. */
double threads_time_cpu_in_calls_s(const struct report_threads_time *t);

/* The time on a CPU, in s: of it recording, perturbation_ns as far as there was as much, and what
 * is left in calls and outside of them. */
struct threads_cpu {
	double in_calls_s, outside_s, recording_s;
};
struct threads_cpu threads_time_cpu(const struct report *r, const struct report_threads_time *t);
/* The parts of the bar of time, in s and not below 0. */
enum time_part {
	TIME_IN_CALLS,
	TIME_OUTSIDE,
	TIME_RECORDING,
	TIME_RUNNABLE,
	TIME_ASLEEP_IN_CALLS,
	TIME_NOT_RECORDED,
	TIME_PARTS
};
void threads_time_parts(const struct report *r, const struct report_threads_time *t,
			double part[TIME_PARTS]);
/* A part's share as the bar prints it, where all add up to 100.0 %; NAN: there is no time. */
double threads_time_share(const struct report *r, const struct report_threads_time *t,
			  enum time_part of);
/* As threads_time_cpu, of elapsed time, where the states are not known: of calls that work. */
struct threads_cpu threads_time_by_calls(const struct report *r);
/* Is most CPU time of threads without a recorded call? */
static inline bool threads_time_is_elsewhere(const struct report_threads_time *t)
{
	return t->unrecorded_s > t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;
}

/* That of the thread with the most CPU time among those, of a program (REPORT_NO_PROGRAM: of all),
 * that lived as long as their processes, or nearly. False: there is none, or it is not known. */
bool threads_time_busiest(const struct report *r, uint32_t program,
			  struct report_threads_time *busiest);

/* CPU time that the kernel charged to a table's threads in their time: it is asked up to their end,
 * and their time is up to the end of their last call. In s. */
double threads_time_charged_s(const struct prof_table *t, double ns_per_unit);
/* CPU time that the kernel charged to the processes (the ledger's) and not to recorded threads
 * while they were recorded, in s; NAN: not known. */
double threads_time_not_recorded_s(const struct report *r);
/* What calls, the time between them and that explain of the processes' CPU time, less 1; where that
 * is not known, calls and the time between them of the threads'. NAN: not known. */
double threads_time_difference(const struct report *r);
/* No more than the sample of readings may be off by, and 1 %. */
bool threads_time_agrees(const struct report *r);
/* Warnings about the detector of switches, and of a check that fails. */
void threads_time_warn(struct report *r);
/* Sets perturbation_ns and its limits; NAN without a measured overhead. After the sites, the gaps
 * and the threads are filled. */
void account_perturbation(struct report *r);

/* ---- which processes ran together, of profiles of several runs; and the programs ---- */

/* Fill runs, run_of, profiles and wall_s, after account_threads. Processes belong to one run
 * where one is the parent of the other, or became the other (exec), or where they come from one
 * file and have one parent or overlap in time. -1: out of memory. */
int runs_find(struct report *r);
/* Fill wall_s and runs of the programs, whose wall_s are NAN. -1: out of memory. */
int runs_measure(struct report *r);

#define PROGRAMS_SHOWN	     6	  /* that text shows the rows of, at most */
#define PROGRAMS_SMALL_SHARE 0.05 /* below, of the CPU time: not shown */

/* Fill program, program_of, asked and apart, after runs_find. Processes of one executable that was
 * started under one name are one program. Where the process that began a run replaced itself
 * (exec), what it became is first; what ran only before that comes last, and is not shown. The
 * others are in the order of their CPU time, or where that is not known of all, of their time that
 * is no waiting. Programs of several runs are all shown, up to PROGRAMS_SHOWN; in one run, small
 * ones are not. -1: out of memory. */
int programs_find(struct report *r, bool together);
/* How many are shown. They are the first ones. */
uint32_t programs_shown(const struct report *r);
/* Of the program that the rows are of; of all threads where they are of several. */
const struct report_threads_time *programs_time(const struct report *r);
/* The report of one program: its totals, and those of its rows that are kept (sites, or gaps where
 * a row is a gap), with shares of its own. All else is the report's; programs_view_end takes back
 * what the view's warnings became, and frees its rows. -1: out of memory. */
int programs_view(struct report *view, const struct report *r, uint32_t program);
void programs_view_end(struct report *r, struct report *view);

/* ---- how a process ended: what its library wrote, and what was seen from outside ---- */

/* "killed by signal 9 (SIGKILL)", "left by _exit, status 0", "still running or killed". */
void process_end_describe(const struct prof_process *p, char *out, size_t room);
/* The one whose end is the command's, as the run saw it; else the first. NULL: there is none. */
const struct prof_process *process_end_of_command(const struct report *r);
/* In a word: "exit", "killed", "running". */
const char *process_end_name(const struct prof_process *p);
/* The same in a column of a table: that word, or "SIGKILL", "exit 3". */
struct numbered process_end_abbreviate(const struct prof_process *p);
/* Nobody saw it end: it may still run. */
bool process_end_is_open(const struct prof_process *p);
/* Is a process that did not say how it ended there now, as far as can be told? */
bool process_end_runs_now(const struct prof_process *p);

/* ---- what a call costs by displacement ---- */

void displaced_fill(const struct report *r, struct report_site *s,
		    const struct prof_site_cost *cost);
/* Once all sites are filled: which uncharged costs are significant among so many tests, and what
 * calls cost with what they were charged. -1: out of memory. */
int displaced_judge(struct report *r);
/* Has any kept site a cost, or a reason why it has none? */
bool displaced_any(const struct report *r);
/* The next site after `from` (PROF_NONE: the first) that shares the cost of site `of`; r->sites:
 * none. */
uint32_t displaced_partner(const struct report *r, uint32_t of, uint32_t from);
/* "rare", "steady", "too-few-windows"; "known"; NULL: nobody looked. */
const char *displaced_state_name(uint32_t state);
void displaced_warn(struct report *r);

/* Of an account of the CPUs' time: the uncharged time that came with the program, NANs where its
 * error is not known; a part as a share, NAN of nothing; all CPUs together, which are PROF_NONE. */
struct report_cost displaced_uncharged(const struct prof_account *a, double confidence);
double displaced_share(double part_ns, double of_ns);
struct prof_account_cpu displaced_all_cpus(const struct prof_account *a);

/* What was computed, in r->computing; NULL: there was no sampling, or no sample counts. Names are
 * looked up. -1: out of memory. */
int computing_find(struct report *r);
/* Of a row, in a word, and what follows that in text: a module's may be taken for a function's. */
static inline const char *computing_name(const struct report_computing_row *r)
{
	return r->brief ?: r->module_name ?: "(no known module)";
}
static inline const char *computing_behind(const struct report_computing_row *r)
{
	return !r->brief && r->module_name ? " (no symbols)" : "";
}
void computing_free(struct report *r);
/* A report of that alone, by symbols that the caller takes back before it is freed, or (NULL) its
 * own. NULL: out of memory. */
struct report *computing_report(const struct profile *p, struct symbolizer *symbols,
				double confidence);
void computing_report_free(struct report *r);
/* How many call paths it has. */
static inline uint32_t computing_paths(const struct report *r)
{
	return r->computing ? r->computing->paths : 0;
}
/* One of them as a site that is of no function (PROF_NONE): it has a path, and total_ns, its CPU
 * time. Over all paths that is what the rows have. */
struct report_site computing_site(const struct report *r, uint32_t path);
static inline bool computing_is(const struct report_site *s)
{
	return s->function == PROF_NONE;
}

/* CPU time of the processes sampled, in ns: as charged by the kernel, or as samples tell; 0: not
 * known. */
double computing_charged_ns(const struct profile *p);

/* CPU time of a row's calls: by the mean, of which a warm-up is no part, but no more than they
 * took. NAN: not known. */
double site_cpu_ns(const struct report_site *s);
/* Why there are no samples; NULL: there are some, or nobody wanted them. */
const char *computing_missing(const struct profile *p);
/* The part of the CPU time that has no samples, where records were lost and it matters; else 0. */
double computing_lost(const struct profile *p);

/* The slowest calls. Needs the report's sites and processes. -1: out of memory. */
int slowest_fill(struct report *r);
/* Warn where some may be missing from the list. */
void slowest_warn(struct report *r);

/* ---- sites whose interval may not contain the true mean, or whose mean hides something ---- */

/* "clock-synchronous", "drift", ... of one bit of enum stats_unreliable or report_finding. */
const char *reliability_name(unsigned bit);
/* "clock-synchronous, heavy-tail": of all bits of these in `bits`, with `between` between them. */
struct words reliability_names(unsigned bits, const char *between);
/* "unknown-dependence", ... of one bit of enum tail_unreliable: of a percentile's limits. */
const char *reliability_tail_name(unsigned bit);

/* Rows with a smaller share of the work raise no warning, and keep their marks: one in a hundred
 * sites has a finding by chance. */
#define RELIABILITY_LEAST_SHARE 0.01

/* Of its intervals; the slow one of a dual run counts too: it was asked for. */
static inline unsigned reliability_doubts(const struct report_site *s)
{
	return s->estimate.unreliable | (s->has_slow ? s->slow.estimate.unreliable : 0);
}

/* Those of a site's findings that are warned of. */
unsigned reliability_findings(const struct report_site *s);
/* Keep what a site has to be warned of. `row`: its number in the grouping, until all have places.
 * -1: out of memory. */
int reliability_note(struct report *r, const struct report_site *s, uint32_t row);
/* One warning a reason: how many sites, which function is the largest of them, what to do. */
void reliability_warn(struct report *r);

/* ---- names of frames, looked up when a renderer asks for them ---- */

/* Names of one frame, inlined functions first: `*count` of them, at least 1. They belong to the
 * report. A module that changed since the run, or is missing, adds a warning to the report. */
const struct symbol *frame_symbols_find(struct report *r, const struct prof_frame *frame,
					size_t *count);
/* The symbols, and the warnings, which are not only of them. */
void frame_symbols_free(struct report *r);

/* A number for what is drawn of a frame whose first name is `s`: heuristic frames are marked, so
 * that they have others. SYMBOL_UNNUMBERED: out of memory. */
static inline uint32_t frame_symbols_number(const struct symbol *s, bool heuristic)
{
	return s->number < SYMBOL_UNNUMBERED / 2 ? 2 * s->number + heuristic : SYMBOL_UNNUMBERED;
}

/* How many frames of a site's path are worth showing, without what the C library calls before
 * main or a thread's function: at least one, if there is any. */
uint32_t frame_symbols_trim_startup(struct report *r, const struct report_site *s);
/* Does the function only start a program or a thread? */
bool frame_symbols_is_starter(const struct symbol *s);

/* The call site of a call path: the innermost frame of the program's language, where the path has
 * one (a Python function, or generated code with a name: function_names.c), else the innermost
 * frame. Such a program's calls all come from the same few places of its interpreter or virtual
 * machine, which tell nothing of them. */

/* Which of the frames it is; 0 where there are none. */
static inline uint32_t path_site_find(const struct prof_frame *frame, uint32_t frames)
{
	for (uint32_t i = 0; i < frames; i++)
		if (frame[i].module == PROF_SOURCE)
			return i;
	return 0;
}

/* The same of a path of a model, whose paths need no look if it has no such frames. */
static inline uint32_t path_site_of(const struct profile *p, const struct prof_path *path)
{
	return p->source_lines ? path_site_find(path->frame, path->frames) : 0;
}

/* The function that a path's calls are counted for, beside the one that is called: the function of
 * the site, if that is of such a language. PROF_NONE: there is none. */
static inline uint32_t path_site_function(const struct profile *p, const struct prof_path *path)
{
	const struct prof_frame *frame = path->frame + path_site_of(p, path);

	if (!path->frames || frame->module != PROF_SOURCE || frame->offset >= p->source_lines)
		return PROF_NONE;
	return p->source_line[frame->offset].function;
}

/* The numbers of a call path in formats of other tools, which know whole numbers only. */
extern const struct report_weight_name {
	const char *name, *unit; /* as pprof calls them */
	const char *event;	 /* as callgrind does, unit and all */
} report_weights[REPORT_WEIGHTS];
uint64_t report_weight_of(enum report_weight weight, const struct report_site *s);
/* Those that the sites of a report have, in their order. How many they are. */
unsigned report_weight_list(const struct report *r, enum report_weight list[REPORT_WEIGHTS]);

/* How many rows a format prints that has all of them unless --top says otherwise. */
static inline uint32_t rows_of_top(uint32_t rows, uint32_t top)
{
	return top == 0 || top > rows ? rows : top; /* REPORT_TOP_DEFAULT is more than any */
}
