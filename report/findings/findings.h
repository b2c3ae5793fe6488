// SPDX-License-Identifier: GPL-3.0-or-later
/* What a report says in words: its head, what was not recorded, warnings, and what to do next. */
#pragma once

#include "report/report.h"
#include "report/wording/utf8.h"

/* ---- the head of a report in words. Texts may hold names from the profile and are not yet clean.
 * `utf8` allows the micro sign ---- */

struct head {
	const struct report *report;
	bool utf8;
	/* Where its lines go; those that find no memory are left out. */
	void (*sink)(void *to, const char *name, const char *raw);
	void *to;
};

/* The process, the clocks, the overhead, the calls, the confidence: "clock", "tsc, one tick ...".
 */
void report_head_each(const struct head *f);
/* The two parts of the short head: what ran (the processes, the programs, how they were attached
 * to) and what filters left out, which come before any number; how many calls, by which clock, at
 * what cost. */
void report_head_run(const struct head *f);
void report_head_calls(const struct head *f);
/* Whether calls and the time between them add up. */
void report_head_check(const struct head *f);
/* The command line of what was to be run, or of how many programs there are runs; free() it. NULL:
 * no process, or out of memory. */
char *report_head_command(const struct report *r);

/* ---- what was not recorded, and what would record it: the look at groups that were off (struct
 * scp_look), selected functions that were never called, computing ---- */

/* Of a report that is complete otherwise. -1: out of memory. */
int elsewhere_fill(struct report *r);

/* Texts are to be freed. NULL: nothing to say, or out of memory. */

/* "`-g io` would record 31 % of the threads' time (...)": the groups that matter. */
char *elsewhere_describe(const struct report *r);
/* "SSL_read, SSL_write": selected functions that were never called. */
char *elsewhere_not_called(const struct report *r);
/* The threads' time; on an overloaded machine what the program could have used of it. */
double elsewhere_time_s(const struct report *r);
/* Of a group's time what is sure: one long call among few that were timed, which may have waited
 * for a CPU, is not. Seconds. */
double elsewhere_surely_s(const struct report_elsewhere *e);
/* The share of it that the program computed, outside of all calls that are known, looked at or
 * recorded; NAN: not known. */
double elsewhere_computing(const struct report *r);
/* How much of what the processes did the recorded calls explain. Of a report that is complete
 * otherwise. -1: out of memory. */
int ledger_fill(struct report *r);
/* "12.0 % of 1,234 reads, ...": the shares that are known. */
char *ledger_describe(const struct report *r, bool utf8);

/* What a function with that name and these groups (SCP_GROUP_*) is to the kernel: see the file. */
#define LEDGER_READS  1u
#define LEDGER_WRITES 2u
unsigned ledger_counted_as(const char *name, uint32_t group);
/* Was one process recorded several times? By its number and its start. */
bool attach_summary_is_again(const struct profile *p);
/* What was done to processes that the tool went to while they ran: of all together. known: false,
 * nobody went to any. `threads` and the like are sums; stopped_ns is the longest; flags are those
 * that all have. */
struct prof_attached attach_summary_of(const struct profile *p, uint64_t *processes);
/* "to 7 threads, which were held up for 3.1 ms at most; ..." */
char *attach_summary_describe(const struct profile *p, bool utf8);
/* What attaching cannot see, and slots that were left. */
void attach_summary_warn(struct report *r);
/* What a profile leaves out on purpose, so that nobody takes a filtered profile for a complete one:
 * "only below serve; paths of at most 4 frames; ...". */
char *filter_summary_describe(const struct profile *p);
/* Share of the processes' lives that was recorded; NAN where recording could not stop. */
double filter_summary_recorded_share(const struct profile *p);
/* Filters that were asked for and are not in force, and what they could not decide. */
void filter_summary_warn(struct report *r);
/* Adds the warning `no-calls` where it is due: why, and what would show some. */
void no_calls_warn(struct report *r);
/* All warnings but those about the names of frames, which come as they are asked for, in the order
 * of their weight. Once, when all rows are filled. */
void warnings_collect(struct report *r);

/* ---- commands as a shell reads them, of the program that was asked for, with the groups that were
 * on: what a reader copies from a report ---- */

/* "scprof run -g socket,wait,io --until 5% -- COMMAND", or of a process that ran "scprof attach ...
 * PID". `more`: SCP_GROUP_* to be recorded, too; `options`: with a blank before each, or "". -g is
 * left out where it would say what is the default. COMMAND itself where the report is of several,
 * or the line is too long or cannot be copied. */
void next_command_run(FILE *to, const struct report *r, uint32_t more, const char *options);
/* Of a process that ran: "scprof dump PID". False: it was another command. */
bool next_command_dump(FILE *to, const struct report *r);
/* "scprof report OPTIONS PROFILE". */
void next_command_report(FILE *to, const struct report *r, const char *options);

/* What most of the time went on, in one sentence; it is always there. Of a report that is complete
 * but for its warnings, or of a view of one program. */
struct verdict {
	const char *code; /* "overloaded", "computes", "calls", "recording", "waits",
			     "waits-elsewhere", "elsewhere", "killed", "unknown" */
	char text[200];
};
struct verdict verdict_of(const struct report *r);
/* Was it killed long after its last calls? */
bool verdict_hung(const struct report *r);
/* Fill next_step[] and next_steps: at most NEXT_STEPS sentences, the most useful first, each with a
 * command that can be copied. To be called when all else of the report is known. Names are as in
 * the profile, not yet clean. Without memory there are fewer. `page`: the report is one. */
void next_steps_fill(struct report *r, bool page);
/* A line, freed; private to report_head.c and head_run.c. */
void head_put_of(const struct head *f, const char *name, char *raw);
#define head_put(f, name, ...) head_put_of(f, name, utf8_text(__VA_ARGS__))
