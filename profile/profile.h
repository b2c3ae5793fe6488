// SPDX-License-Identifier: GPL-3.0-or-later
/* Profiles in memory: open, validate, merge, write. A profile here is one or more profile files of
 * the same kind of clock, read into one model. Nothing in a file is trusted: every offset, length,
 * id and string is checked before use, and a file that fails is refused with a message, never half
 * loaded. A live file is read as a consistent snapshot. Durations stay in clock units (64 and
 * 128-bit integers), so that sums are exact; ns_per_unit converts. A model belongs to one thread at
 * a time; several threads may read files into models of their own. Pointers in the model live until
 * profile_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/scprof_attach.h"
#include "include/scprof_format.h"
#include "profile/model/call_paths.h"
#include "profile/model/call_sums.h"
#include "profile/model/samples.h"

#define PROF_NONE UINT32_MAX

/* Equal (name, library) of all files are one function here. */
struct prof_function {
	char *name, *library;
	uint32_t group;
	uint64_t overflow_calls, overflow_units, overflow_bytes;
};

/* What a call costs by displacement, with standard errors and their degrees of freedom. */
struct prof_cost_value {
	double ns, error_ns, freedom;
};

/* Of a site, at one of its entries (struct scp_site_cost). Few of very many entries have one. */
struct prof_site_cost {
	uint32_t entry; /* index */
	uint32_t state; /* enum scp_site_cost_state */
	uint32_t group, spans;
	uint64_t run;
	double kept, busy, inflation;
	struct prof_cost_value uncharged, true_cost; /* for SCP_SITE_COST_KNOWN */
};

struct prof_entry {
	uint32_t table, path, function; /* indices into the model */
	uint16_t outcome;		/* enum scp_outcome */
	bool torn; /* killed, or read, inside an update: may be off by a call */
	struct prof_sums sums;
};

/* One CPU's time (struct scp_account_cpu). */
struct prof_account_cpu {
	uint32_t cpu;
	double wall_ns;
	double part_ns[SCP_ACCOUNT_PARTS];
};

/* Where the CPUs' time went in one run (struct scp_account). uncharged.error_ns INFINITY: it is
 * unknown. */
struct prof_account {
	uint64_t run;
	struct prof_cost_value uncharged;
	double rusage_ns;
	struct prof_account_cpu *cpu;
	char **text; /* the account in words, then warnings */
	uint32_t cpus, texts;
};

struct prof_gap {
	uint32_t table;
	uint32_t from, to; /* entry indices of the model; PROF_NONE: thread start, thread end */
	uint64_t calls, units;
	prof_u128 units_sq;
	uint64_t max_units;
};

/* One long call (struct scp_slowest). */
struct prof_slowest {
	uint32_t entry; /* index: path, function, outcome, and table for the process */
	uint32_t tid, pid, reserved;
	uint64_t units, slow_units, bytes;
	uint64_t began_at;		       /* clock of its process */
	uint64_t ended_mono_ns, ended_real_ns; /* just after its end */
	char name[16];			       /* of the thread */
	uint64_t state;			       /* enum scp_slowest_state */
	uint64_t runnable_ns, asleep_ns;       /* for SCP_SLOWEST_READ */
};

/* Calls of a table that passed through (struct scp_look). */
struct prof_look {
	uint32_t table, function; /* indices */
	uint64_t calls, timed, weight, units;
	prof_u128 units_sq;
};

/* Where a second walk differs (struct scp_path_difference): addresses, `ours`, then `theirs`. */
struct prof_path_difference {
	uint32_t at, ours, theirs;
	uint64_t *frame;
};

struct prof_table {
	uint32_t process; /* index */
	uint32_t tid, threads;
	bool live;
	char name[16];
	uint64_t time_units; /* closed + last - first: the whole recorded time of its threads */
	uint64_t nested_units, nested_calls;
	/* The library's own time on the slow path, and how often it took it; walks of the stack. */
	uint64_t recording_units, recordings, walks;
	uint64_t call_units, gap_units; /* summed from its entries and gaps, for the check */
	/* See struct scp_table_states; detector NONE: not known. */
	struct prof_table_states {
		uint32_t detector;
		bool torn; /* as of an entry */
		uint64_t gaps, gap_units;
		struct scp_off_cpu gap_off_cpu;
		uint64_t covered_ns, cpu_ns, ran_ns, stolen_ns, switches;
		struct scp_off_cpu call_off_cpu;
		uint64_t delay_covered_ns, delay_ns, overcharged_ns;
	} states;
};

/* What was seen of a process's end from outside (struct scp_end). */
struct prof_end {
	uint32_t seen;	/* enum scp_end_seen */
	uint32_t value; /* the exit status, or the signal */
};

/* How the tool went to a process that ran (struct scp_attached). */
struct prof_attached {
	bool known;	/* it did; else all is 0 */
	uint32_t flags; /* SCP_ATTACHED_* */
	uint64_t stopped_ns, stopped_total_ns;
	uint32_t threads, in_calls;
	struct scp_attach_slots slots;
	uint64_t ran_ns; /* before recording began: the longest; 0: not known */
	uint32_t pid;	 /* as who attached numbers it: of the first; 0: not known */
};

struct prof_process {
	uint32_t pid, ppid, count; /* count > 1: a fold of several, after a merge */
	char *exe;
	char *program; /* the name that it was started under, without a path */
	char **argv;   /* argc strings and a NULL */
	uint32_t argc;
	uint32_t end_state; /* enum scp_end_state */
	struct prof_end end;
	struct prof_attached attached;
	uint64_t start_real_ns, start_mono_ns, end_mono_ns; /* end 0: not known */
	char *file;					    /* the profile it came from */
	uint32_t owner;					    /* user id of that file */
	uint32_t run; /* the same number: of one recording by the tool; 0: not known */
};

/* What a wrapped call adds (struct scp_cost). The errors are standard errors and include the
 * differences between measurements. */
struct prof_cost {
	double inside_ns, inside_error_ns;
	double outside_ns, outside_error_ns;
};

/* Over the processes' first and last measurements together. NAN where it was never measured.
 * inside_ns to outside_error_ns are for all calls of the profile, as many as went each way; `way`
 * distinguishes them, and overhead_at short and long paths of system calls. */
struct prof_overhead {
	uint32_t measurements;
	double inside_ns, inside_error_ns;
	double outside_ns, outside_error_ns;
	struct prof_cost cost[2];	 /* SCP_COST_SHORT, SCP_COST_LONG */
	struct prof_cost way[SCP_WAYS];	 /* by enum scp_way */
	double inner_ns, inner_error_ns; /* what a call adds to the interval that it lies in */
};

/* One clock of the model. */
struct prof_clock {
	uint32_t kind, flags, requested;
	double ns_per_unit; /* measured: from the longest pair of anchors */
	double rate_error;  /* relative uncertainty of it */
	uint64_t resolution_units;
	double tick_ns; /* resolution_units * ns_per_unit */
	double missing; /* share of a page clock's ticks that never came, beyond chance */
	double read_ns; /* cost of one reading */
	struct prof_overhead overhead;
};

/* Whole ticks of the clock, to the nearest. */
static inline prof_u128 prof_ticks(prof_u128 units, const struct prof_clock *c)
{
	uint64_t tick = c->resolution_units ? c->resolution_units : 1;

	return units / tick + (units % tick >= tick - tick / 2);
}

struct profile {
	struct prof_clock clock;
	struct prof_clock slow;		       /* kind NONE unless dual */
	uint32_t flags;			       /* SCP_FILE_* of all files together */
	char preceded[SCP_BEFORE_BYTES];       /* see scp_header; or "" */
	uint64_t uncopied_calls;	       /* see scp_header, summed */
	uint64_t ticker_readings, ticker_near; /* see scp_header, summed */
	char uncopied_function[sizeof(((struct scp_header *)0)->uncopied_function)];
	uint32_t groups;
	struct scp_losses losses;     /* summed */
	struct scp_switches switches; /* summed; the least detector, perhaps SCP_SWITCH_MIXED */
	/* What the processes used while they were recorded, summed over those of which it is known,
	 * and of how many that is. */
	struct scp_usage usage;
	uint32_t usage_cpu_of, usage_io_of;
	uint64_t ticker_ticks, ticker_late_sum_ns, ticker_late_max_ns, ticker_late_ticks;
	struct scp_ticker_cost ticker_cost;
	uint64_t own_ns; /* see scp_header, summed */
	uint64_t torn_entries;
	/* Summed; one_in: the least but 0. Only SCP_PATH_DIFFERENCES_MAX differences are kept. */
	struct scp_path_checks path_checks;
	struct prof_path_difference *path_difference;
	uint32_t path_differences;
	/* SCP_PYTHON of the first process that met an interpreter, 0: none did; and of one in which
	 * that differs, which rather is one that is not read. What a file says: any number. */
	uint32_t python, python_other;
	bool foreign; /* a file of it belongs neither to root nor to the reader */
	/* What was left out on purpose (scp_header.filters), of all files together. */
	char filters[SCP_FILTERS_BYTES];
	uint32_t filters_bytes;
	/* Set by below_mark. A report has no row of calls that are left out; threads, gaps and the
	 * kernel's counts are of all calls. */
	struct {
		bool filtered;
		uint64_t left_out_calls;
		uint32_t cut_paths; /* left out, and further out there may be such a function */
		char unmatched[80]; /* a pattern that means no function of any path; or "" */
	} below;
	/* Where recording could be stopped (SCP_FILE_WINDOWS): how long the processes recorded, of
	 * how long they lived, and how often one began to record, at most. */
	uint64_t recorded_ns, recorded_of_ns;
	uint32_t windows;

	struct prof_process *process;
	struct prof_table *table;
	struct prof_module *module;
	struct prof_path *path;
	struct prof_function *function;
	struct prof_entry *entry;
	struct prof_gap *gap;
	struct prof_site_cost *site_cost; /* by entry, at most one of each */
	struct prof_account *account;
	uint32_t processes, tables, modules, paths, functions, entries, gaps, site_costs, accounts;
	struct prof_look *look; /* by table; of a function there may be several */
	uint32_t looks;
	struct prof_slowest *slowest; /* the longest first, slowest_asked.count at most */
	uint32_t slowests;
	struct prof_source_function *source_function;
	struct prof_source_line *source_line;
	struct prof_generated *generated;
	uint32_t source_functions, source_lines, generateds;
	struct prof_sampling sampling;
	struct prof_sample *sample;
	uint32_t samples;
	struct scp_slowest_asked slowest_asked; /* of all files: the most, the highest threshold */

	struct profile_index *index; /* private: hashes for interning */
};

struct profile_error {
	char text[512]; /* one to three lines: what, why, what to do */
};

/* An empty model. NULL only when out of memory. */
struct profile *profile_new(void);
void profile_free(struct profile *p);

/* Add one file to the model. 0, or -1 with *err filled and the model as it was
 * (not a profile, damaged, another version, another clock kind or resolution
 * than the files added before, unreadable, a symbolic link). Works on live files. */
int profile_add(struct profile *p, const char *path, struct profile_error *err);

/* The same, of a file that is open (the descriptor stays the caller's) and that holds so many bytes
 * at most: what is read is what is measured, also where the file grows meanwhile. profile_add reads
 * up to PROF_MOST_BYTES. */
#define PROF_MOST_BYTES (UINT64_C(2) << 30)
int profile_add_open(struct profile *p, int fd, uint64_t most_bytes, struct profile_error *err);

/* A file of the model as it is now, while its process goes on. */
struct profile_moment {
	const struct scp_header *header;
	uint32_t first, entries; /* of the model: the file's */
	const uint64_t *calls;	 /* by entry of the model: so far; of all files the same array */
};
/* Renew the model's clocks, and what recording adds, as if all its files (there must be as many, in
 * the order in which they were added) had been added now: a counter's rate is better known the
 * longer a run goes on, its end measures what a call adds once more, and both are weighted by the
 * calls. 0, or -1 and the model as it was: a header that contradicts itself or the model. */
int profile_renew_clocks(struct profile *p, const struct profile_moment *file, size_t files);

/* All of `paths` in one model; NULL and *err on the first failure. */
struct profile *profile_open(const char *const *paths, size_t count, struct profile_error *err);

/* The same with progress: `told`, if not NULL, is called after each file. `left_out` is told of a
 * file that cannot be read, which is no failure then unless all are so. */
struct profile_listener {
	void (*told)(void *context, size_t done, size_t all);
	void (*left_out)(void *context, const struct profile_error *why);
	void *context;
};
struct profile *profile_open_told(const char *const *paths, size_t count,
				  const struct profile_listener *to, struct profile_error *err);

/* Add another model's calls by function and outcome, as one process and one thread, without
 * call paths, gaps and lines of time on size: little memory for what follows processes for days.
 * Histograms stay: intervals depend on how heavy their tails are. skip[function of `from`]: left
 * out; NULL: none. Models made of such calls alone may be added too. 0, or -1 with *err: clocks
 * that do not go together (and `to` as it was), or out of memory. */
int functions_add(struct profile *to, const struct profile *from, const bool *skip,
		  struct profile_error *err);

/* Between two readings: add files to a model, mark it, add the same files (and new ones)
 * again later, and take the difference. The model then holds the calls that ended between the
 * readings: by path, function and outcome, with their sums; of one process and thread, without
 * gaps, extremes, histograms and batches. What went backwards, or did nothing, is left out. */
struct profile_overflow {
	uint64_t calls, units, bytes;
};
struct model_mark {
	uint32_t entries, functions;
	struct profile_overflow *overflow; /* by function */
};
/* 0, or -1: out of memory. The mark is to be freed in any case. */
int model_difference_mark(const struct profile *p, struct model_mark *m);
void model_difference_mark_free(struct model_mark *m);
/* 0, or -1: out of memory, and the model is as it was. */
int model_difference_make(struct profile *p, const struct model_mark *m);

/* What a call adds whose path has so many frames. `inside` is that of short paths or that
 * of long ones; `outside` lies on the straight line through both. */
struct prof_cost overhead_at(const struct prof_overhead *o, uint32_t frames);

/* The cost by displacement noted at an entry; NULL: none. */
const struct prof_site_cost *site_cost_find(const struct profile *p, uint32_t entry);
/* Note it, instead of what was noted there. -1: out of memory. */
int site_cost_note(struct profile *p, const struct prof_site_cost *cost);

/* One more account, without CPUs and texts: NULL when out of memory. Then they are added. */
struct prof_account *account_add(struct profile *p);
int account_add_cpu(struct prof_account *a, const struct prof_account_cpu *cpu);
int account_add_text(struct prof_account *a, const char *text);

/* RSEQ or PERF: whether a call was switched is known of each. */
bool states_sees_all(uint32_t detector);

/* What the host stole of the time that the threads of the tables from `first` on had a CPU, *ran_ns
 * of it seen: 0 to 1; NAN: not known. And its standard error, from how the threads differ (a ratio
 * of sums: Cochran 1977, section 6.4); NAN: of one thread. */
double steal_share(const struct profile *p, uint32_t first, double *ran_ns);
double steal_share_error(const struct profile *p, double share);

/* Does --below leave out the calls on this path? */
static inline bool profile_leaves_out(const struct profile *p, uint32_t path)
{
	return p->below.filtered &&
	       (path >= p->paths || (p->path[path].flags & PROF_PATH_LEFT_OUT));
}

/* The text of `filters` behind `key` ("below=", ...), the one after `after` or (NULL) the first;
 * NULL: there is none. Keys: see scp_header.filters. */
const char *filters_text(const struct profile *p, const char *key, const char *after);
/* Of a run that was to stop by itself: the relative half width, the seconds after which (0: not
 * reached), and the number of sites. */
#define PROF_FILTER_STOP "stop="

/* Note what was left out on purpose, as "KEY=VALUE", beside what the files say. Nothing where
 * there is no room for it, or where it is there. */
void filters_note(struct profile *p, const char *text);

/* Index in the model of an equal one, which is added if it is new. Strings are copied; of what is
 * no UTF-8 and of control characters each byte becomes '?'. Longer names than SCP_SOURCE_NAME_MAX
 * are cut at their end, paths of files than SCP_SOURCE_FILE_MAX at their beginning. A line names a
 * function of the model. PROF_NONE: out of memory, or generated code of no bytes, or that wraps. */
uint32_t source_add_function(struct profile *p, const struct prof_source_function *f);
uint32_t source_add_line(struct profile *p, const struct prof_source_line *l);
uint32_t source_add_generated(struct profile *p, const struct prof_generated *g);

/* Fold processes of the same executable that were started under the same name into one, and threads
 * of the same name within them into one table, when there are more than `keep` processes. */
void fold_model(struct profile *p, uint32_t keep);

/* Add what was done to other processes, without wrapping. Flags: those that all have. */
void fold_attached(struct prof_attached *d, const struct prof_attached *s);

/* Leave out the processes of other programs than those whose names `pattern` (fnmatch) means, and
 * what was recorded in them. What is known of all processes together only, such as the CPU time
 * that they used and calls that overflowed, is left out, too, unless all stay. 0, KEEP_NONE (there
 * are none, and the model is as it was), or -1: out of memory. */
#define KEEP_NONE (-2)
int keep_programs(struct profile *p, const char *pattern);

/* Write the model as one merged profile file: created O_EXCL|O_NOFOLLOW mode 0600 beside `path` and
 * renamed over it. 0, or -1 with *err. What is written reads back as the same model. */
int write_profile(const struct profile *p, const char *path, struct profile_error *err);
