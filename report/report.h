// SPDX-License-Identifier: GPL-3.0-or-later
/* The finished report: what a profile says, in nanoseconds and with intervals, ready to be printed.
 *
 * report_build does all sums and estimates once; the renderers only choose words and columns. Names
 * of frames are looked up late, when a renderer asks for them, because symbolizing is the slow part
 * and most frames of a large profile are never shown.
 *
 * All functions are single-threaded. A report borrows from its profile, which must outlive it.
 * Quantities that are not known are NAN or NULL. */
#pragma once

#include <stdio.h>

#include "report/report_site.h"
#include "report/symbols/symbolize.h"

#define REPORT_HEURISTIC_MARK "?" /* before a frame to which no unwind table led */
enum report_by {
	REPORT_BY_PATH,	    /* full call path + function + outcome */
	REPORT_BY_SITE,	    /* call site (path_site.h) + function + outcome */
	REPORT_BY_FUNCTION, /* function + outcome, and the Python function that calls it */
	REPORT_BY_GAP,	    /* pairs of sites; the sites are as REPORT_BY_SITE */
	REPORT_BY_THREAD,   /* one row a table; the sites are as REPORT_BY_PATH */
	REPORT_BY_PROCESS
};

/* All formats: one line adds one. What it is called, how names of its files end, the function that
 * prints it (0, or -1: out of memory or the stream failed), and what it is. */
/* clang-format off */
#define REPORT_FORMATS(X)                                                                          \
	X(REPORT_TEXT, "text", ".txt", text_print, REPORT_IN_ORDER)                                \
	X(REPORT_JSON, "json", ".json", json_print, REPORT_IN_ORDER)                               \
	X(REPORT_HTML, "html", ".html", html_print, 0)                                             \
	X(REPORT_SVG, "svg", ".svg", svg_print, REPORT_OF_STACKS)                                  \
	X(REPORT_PPROF, "pprof", ".pb.gz", pprof_print, REPORT_OF_STACKS | REPORT_BINARY)          \
	X(REPORT_FOLDED, "folded", ".folded", stacks_folded, REPORT_OF_STACKS)                     \
	X(REPORT_CALLGRIND, "callgrind", ".callgrind", callgrind_print, REPORT_OF_STACKS)          \
	X(REPORT_SPEEDSCOPE, "speedscope", ".speedscope", speedscope_print, REPORT_OF_STACKS)      \
	X(REPORT_CSV, "csv", ".csv", csv_print, REPORT_IN_ORDER)
/* clang-format on */

#define REPORT_OF_STACKS 1u /* of sites only: no rows for gaps, threads, processes */
#define REPORT_BINARY	 2u /* not for a terminal */
#define REPORT_IN_ORDER	 4u /* the order of rows is seen: --sort */

#define REPORT_FORMAT_VALUE(value, name, suffix, print, traits) value,
enum report_format { REPORT_FORMATS(REPORT_FORMAT_VALUE) };
#undef REPORT_FORMAT_VALUE

/* What comes first, of rows that work and of rows that wait; the largest, but for names. */
enum report_sort {
	REPORT_SORT_TIME, /* in total */
	REPORT_SORT_CPU,  /* time on a CPU, where it is known; in text, on an overloaded machine,
			     instead of TIME */
	REPORT_SORT_CALLS,
	REPORT_SORT_MEAN, /* as measured: with overhead and warm-ups */
	REPORT_SORT_MAX,
	REPORT_SORT_BYTES,
	REPORT_SORT_NAME /* of the function */
};

/* The number that formats with one number a call path print; others print all of them. */
enum report_weight {
	REPORT_WEIGHT_TIME,
	REPORT_WEIGHT_CALLS,
	REPORT_WEIGHT_BYTES,
	REPORT_WEIGHT_ON_CPU, /* these three: where states are known of some path */
	REPORT_WEIGHT_RUNNABLE,
	REPORT_WEIGHT_ASLEEP,
	REPORT_WEIGHT_UNCHARGED, /* where the profile has costs by displacement */
	REPORT_WEIGHT_COMPUTING, /* CPU time outside of calls, where it was sampled */
	REPORT_WEIGHTS
};

#define REPORT_TOP_DEFAULT    UINT32_MAX /* 20 rows of text, all of JSON */
#define REPORT_FRAMES_DEFAULT UINT32_MAX /* text: 6 for the first rows, 2 for later ones */

struct report_options {
	enum report_format format;
	enum report_by by;
	enum report_sort sort; /* of sites; else REPORT_SORT_TIME */
	bool cpu_first;	       /* text by time on a CPU where the machine was overloaded */
	double confidence;     /* in (0, 1) */
	uint32_t top;	       /* rows shown; 0: all */
	uint32_t frames;       /* lines of call path a row in text; JSON always has all */
	uint32_t width;	       /* columns of text; 0: those of the terminal */
	bool include_warmup;   /* in the means; else excluded where one is found */
	bool full;	       /* text: all lines of the head, notes and warnings, all rows */
	bool together;	       /* rows of different programs are added up, too */
	enum report_weight weight;
	bool fold;	  /* rows by path or site that differ only within their functions are one */
	bool guarded;	  /* symbolize_guard: profiles of other users */
	bool pprof_names; /* pprof: nameless frames are module+0x12, not left to it */
	const char *profile; /* in suggested commands; NULL: as opened */
};

#define REPORT_OPTIONS_DEFAULT                                                                     \
	{                                                                                          \
		.format = REPORT_TEXT, .by = REPORT_BY_PATH, .confidence = 0.95,                   \
		.top = REPORT_TOP_DEFAULT, .frames = REPORT_FRAMES_DEFAULT, .width = 0,            \
		.include_warmup = false, .weight = REPORT_WEIGHT_TIME                              \
	}

/* From the exit of one top-level call to the entry of the next. */
struct report_gap {
	uint32_t from, to; /* indices into sites; PROF_NONE: start, end of the thread */
	uint64_t calls, units;
	struct mean_interval estimate;
	double max_ns, total_ns;
	double share; /* of the time of all threads */
};

/* One table: a thread, or several that used it one after the other. */
struct report_thread {
	const char *name;
	uint32_t pid, tid, threads;
	bool live; /* neither it nor its process has ended */
	uint64_t calls;
	double time_ns, calls_ns, gaps_ns, nested_ns;
	double in_calls_ns;  /* calls_ns, of which what is nested counts once */
	double recording_ns; /* of time_ns, in no call and no gap: see struct report */
	double waiting_ns;   /* of calls_ns, in functions that wait */
	/* time - (calls - nested + gaps + recording): 0 unless something was lost */
	int64_t remainder_units;
	double remainder_ns;
};

/* One of the slowest calls. Of `place` only function, outcome, path and bytes. */
struct report_slowest {
	struct report_site place;
	uint32_t pid, tid;
	const char *thread;	 /* its name */
	double duration_ns;	 /* compensated, but for clocks that count ticks */
	double low_ns, high_ns;	 /* of its true duration: a tick either way, and ticks vary */
	double began_s, ended_s; /* after the first process began; began NAN: not known */
	uint64_t began_real_ns, ended_real_ns; /* since 1970; began 0: not known */
	uint64_t ticks, slow_ticks;	       /* of the clock, of a dual run's slow one */
	uint32_t state;			       /* enum scp_slowest_state */
	double runnable_ns, asleep_ns;	       /* for SCP_SLOWEST_READ; else NAN */
};

struct report_process {
	const struct prof_process *process;
	uint32_t threads;
	uint64_t calls;
	double calls_ns, in_calls_ns, time_ns; /* as of a thread */
	double waiting_ns;		       /* of calls_ns, in functions that wait */
	double recording_ns;
	double wall_s; /* NAN: not known */
};

/* Where the time of all recorded threads went, in seconds. The six add up to their time. */
struct report_threads_time {
	bool known;
	double cpu_in_calls_s, cpu_outside_s; /* on a CPU, stolen time included */
	double runnable_s;		      /* in calls and outside */
	double recording_s;		      /* on a CPU, in the library's slow path */
	double asleep_in_calls_s;
	double not_recorded_s; /* asleep in functions that are not wrapped */
	double estimated_s;    /* of that, from a sample of the switches, not by the kernel */
	double stolen_share;   /* of the time on a CPU: by the host; NAN: not known */
	double stolen_share_error;
	/* The check: charged to the threads while they were recorded (the thread's CPU clock), and
	 * what rows and gaps add up to over the same time. */
	double charged_s, explained_s;
	double explained_in_calls_s, explained_recording_s; /* of that */
	/* CPU time of the processes, and of their children, that no recorded thread was charged: of
	 * threads without a recorded call, which are in no other number. 0: little, beside the wall
	 * time, or none is known. */
	double unrecorded_s;
};

/* Processes of one executable that was started under one name. */
struct report_program {
	const char *name;
	const struct prof_process *first; /* the one that started first */
	uint64_t processes, threads, calls;
	double calls_ns, in_calls_ns, nested_ns, waiting_ns, time_ns,
		recording_ns; /* as of a process */
	double cpu_s;	      /* of its threads; NAN: not known of all that are recorded */
	double unrecorded_s;  /* of that, of threads without a recorded call, as far as is known */
	double wall_s;	      /* of its processes, summed over the runs; NAN: not known */
	uint32_t runs;	      /* that it was part of */
	uint32_t sites;
	double work_ns, net_waiting_ns; /* of its sites, compensated: those that work, that wait */
	bool prepares; /* a script that was replaced by what was asked for, or what it ran before */
	bool shown;    /* text has its rows; of others only their sum */
	struct report_threads_time threads_time; /* of its threads */
};

/* How much of what the processes did the recorded calls explain; NAN: not known. Shares. */
struct report_ledger {
	double cpu_share, waits_share, reads_share, writes_share;
	double cpu_s; /* the processes' own totals */
	double waits, reads, writes;
};

/* What a group that was off would have recorded, estimated by a random sample of its calls. */
#define REPORT_ELSEWHERE_GROUPS 4
struct report_elsewhere_function {
	uint32_t function; /* index into the profile */
	uint64_t calls;
	double time_s, error_s;	 /* standard error */
	double own_calls, own_s; /* of that, of the one program whose time is shown; else all */
};
struct report_elsewhere {
	const char *group;			    /* as -g has it */
	uint32_t mask;				    /* SCP_GROUP_* */
	struct report_elsewhere_function *function; /* the longest time first */
	uint32_t functions;
	uint64_t calls;
	double time_s, error_s;
	double waiting_s; /* of that, in functions that wait */
	double share;	  /* of the threads' time; NAN: not known */
	double own_calls, own_s, own_share;
};

/* A function in which samples found the processes outside of recorded calls. */
struct report_computing_row {
	const char *function, *module, *language; /* as of struct symbol; NULL: not known */
	const char *brief, *module_name;	  /* in a word; NULL: not known */
	struct report_site place; /* frames and path_flags: of the path with the most samples */
	uint32_t at;		  /* which of its frames is the function's */
	uint64_t samples;
	double share, share_low, share_high; /* of the CPU time outside of recorded calls */
	double cpu_s, cpu_error_s;	     /* its standard error */
};

/* Samples of rows on one call path; but by path, on any path to one function. */
struct report_computing_path {
	uint32_t path, program; /* of the profile; of the report, or REPORT_NO_PROGRAM */
	uint64_t samples;
};

/* What was computed, by samples. */
struct report_computing {
	struct report_computing_row *row;      /* the largest share first */
	struct report_computing_row recording; /* in libscprof.so itself: in no row */
	struct report_computing_path *path;    /* most samples first */
	uint32_t rows, paths;
	uint64_t samples, in_calls; /* all; in recorded calls */
	double cpu_s;		    /* outside of recorded calls; in user space only: `user` */
	double in_calls_cpu_s;
	double effective; /* the number of independent samples that they are worth */
	bool user;
};

/* Sites with fewer ticks have intervals too wide to compare clocks by. */
#define REPORT_TELLING_TICKS 10

/* A site that reliability warnings count. */
struct report_note {
	uint32_t row, function;
	unsigned unreliable; /* reliability warnings of its intervals */
	unsigned findings; /* of rows whose share is large enough; of others they may be missing */
	double total_ns, share;
};

struct report_warning {
	char code[32];
	char *text;    /* its figures, what it means for the numbers, and what to do */
	char *brief;   /* figures and what to do, in a line */
	double weight; /* share of the time of the rows that it is about; NAN: of all */
	uint32_t row;  /* the first of these; PROF_NONE: it is not about rows */
};

#define NEXT_STEPS 2

struct report {
	const struct profile *profile;
	enum report_by by;
	double confidence;
	bool include_warmup;
	bool fold;
	bool bars; /* sites have bars: only for formats that print them */
	struct symbolizer *symbols;
	bool *module_noted; /* private to frame_symbols.c: modules it warned of; NULL: none */
	struct prof_frame *caller; /* frames of rows by function; NULL: they have none */

	/* Those that do not wait first; of both the longest total time first. The first `kept` are
	 * filled. */
	struct report_site *site;
	struct report_gap *gap;
	struct report_thread *thread;
	struct report_process *process; /* by time in calls, longest first */
	/* What was asked for first, then by CPU time (programs.h). */
	struct report_program *program;
	struct report_slowest *slowest; /* the longest first */
	struct report_warning *warning;
	struct report_computing *computing; /* computing_find; NULL: not asked for yet, or none */
	struct loop_report *loops;	    /* loop.h; NULL unless REPORT_BY_GAP or REPORT_HTML */
	struct report_note *note;
	uint32_t sites, gaps, threads, processes, programs, slowests, warnings;
	enum report_sort sort; /* of the sites */
	bool overloaded;       /* threads_time.h */
	bool apart;	       /* there are several programs, and no row is of two of them */
	/* By the profile's processes: index into program; number of the run (runs.h). */
	uint32_t *program_of, *run_of;
	uint32_t runs, profiles;	   /* runs without a common process; files */
	const char *profile_name;	   /* report_options.profile */
	char *next_step[NEXT_STEPS];	   /* "WHAT WAS FOUND: COMMAND" (next_steps.h) */
	uint32_t next_command[NEXT_STEPS]; /* byte at which the command begins */
	uint32_t next_steps;
	uint32_t heuristic_paths; /* of the profile: with SCP_PATH_HEURISTIC */
	uint32_t working;	  /* sites that do not wait: the others follow them */
	uint32_t beyond;	  /* of a view of one program: its sites that are not filled */
	uint32_t kept;		  /* sites that are filled: all, but for report_build_some */
	uint32_t notes; /* sites with reliability warnings or notes; in the order of the sites */
	uint32_t slow_sites, slow_sites_off; /* of REPORT_TELLING_TICKS slow ticks or more */

	uint64_t calls;	   /* all recorded, with those that overflowed */
	double calls_ns;   /* as measured, overhead included, so that the account is exact */
	double waiting_ns; /* of that, in functions that wait */
	/* All rows' totals, compensated: of the outer calls that do not wait, and of those that do.
	 */
	double net_ns, net_waiting_ns;
	struct report_overhead overhead;
	/* Whether calls are synchronous with the clock's tick: 1, 0, or -1 where not tested. */
	int synchronous, slow_synchronous;
	/* By how much scprof made the program slower, and its limits (perturbation.c); NAN: not
	 * known. */
	double perturbation_ns, perturbation_low_ns, perturbation_high_ns;
	/* What the library took where something was new: it walked the stack, made records, or grew
	 * the file. Measured, in no call and no gap. */
	double recording_ns;
	uint64_t recordings, walks;
	double time_ns;		/* of all threads */
	uint64_t all_threads;	/* how many they are; several may have had one table */
	uint64_t all_processes; /* likewise, of the profile */
	double gaps_ns, nested_ns;
	struct report_threads_time threads_time;
	struct states_shared shared; /* private to states.c */
	struct report_ledger ledger;
	struct report_elsewhere elsewhere[REPORT_ELSEWHERE_GROUPS]; /* longest first */
	uint32_t elsewheres;
	uint64_t skipped_calls, overflow_calls;
	__int128
		remainder_units; /* of calls - nested + gaps + recording = time, over all threads */
	double remainder_ns;
	bool remainder_expected;	  /* small, and explained by a process that still ran */
	const struct prof_process *first; /* the one that started first; NULL: none */
	uint64_t start_real_ns;		  /* of it */
	const struct prof_process *asked; /* what was to be run: the first, or what replaced it */
	/* First start to last known end; of several runs the sum of theirs. NAN: not known. */
	double wall_s;
};

/* Everything but names. NULL when out of memory. */
struct report *report_build(const struct profile *p, const struct report_options *o);
/* The same, but only the first `keep` sites are filled, and the first `keep` of those that wait, to
 * save memory; totals, warnings and all else are of all sites. */
struct report *report_build_some(const struct profile *p, const struct report_options *o,
				 uint32_t keep);
void report_free(struct report *r);

/* The next site that is filled, of NULL the first; NULL: there is none. */
static inline struct report_site *report_next_site(const struct report *r,
						   const struct report_site *s)
{
	uint32_t at = s ? (uint32_t)(s - r->site) + 1 : 0;

	if (at >= r->kept && at < r->working)
		at = r->working;
	return at < r->kept || (at < r->sites && at - r->working < r->kept) ? &r->site[at] : NULL;
}

/* Names of the format's numbers, for people and for JSON. Never NULL. */
const char *report_names_outcome(const struct report_site *s);
const char *report_names_clock(uint32_t kind);

/* scprof went to it and left it again: it ran on. */
bool report_names_is_detached(const struct prof_process *p);
const char *report_names_detector(uint32_t detector);
const char *report_names_by(enum report_by by);
/* 0, or -1 when `name` is none of them. */
int report_names_parse_format(const char *name, enum report_format *format);
/* By how the path ends: "page.html". -1: as none does. */
int report_names_format_of(const char *path, enum report_format *format);
extern const char *const report_names_formats; /* for messages: "text, json, ..." */
extern const char *const report_names_endings; /* ".txt, .json, ..." */
unsigned report_names_format_traits(enum report_format format); /* REPORT_OF_STACKS, ... */
/* Why no path of `p` has the weight that `o` asks for, one line to print; NULL: some have. */
const char *report_weight_missing(const struct profile *p, const struct report_options *o);
/* Why the outer frames of a site's path are missing, in brackets; NULL: they are there. The same in
 * a word: "cut", "complete". */
const char *report_names_path_end(const struct report_site *s);
const char *report_names_path(const struct report_site *s);

/* Build a report, find its names and print it. 0, or -1 with errno set: out of memory, or the
 * stream failed. The stream is flushed. */
int report_print(const struct profile *p, const struct report_options *o, FILE *out);

struct diff;
/* Print a comparison as its options say; the rest as report_print. */
int report_print_diff(struct diff *d, FILE *out);
