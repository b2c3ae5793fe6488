// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof bench`: how long a function of a shared library takes, or a command.
 *
 * The procedure is that of Bryant and O'Hallaron (warm-up call, doubling until a loop lasts long
 * enough) and of Feitelson (double loop: each replication times one loop of calls; the same loop of
 * empty calls beside it). User code runs in a child process, which leaves what it measured in a
 * shared record: whatever happens to the child, the tool goes on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/clocks/clocks.h"
#include "collector/machine/cpu_times.h"
#include "profile/base/error.h"

/* Arguments for a call, as people write them: int:5 str:hello buf:4k f64:1.5 f32:2 null.
 *
 * On x86-64 and AArch64 integers and pointers travel in one row of registers and reals in another,
 * so that their order among each other does not matter, and a function of any such signature can be
 * called through one pointer type. */

#define BENCH_INTEGERS	  6
#define BENCH_REALS	  8
#define BENCH_BUFFER_MOST ((size_t)1 << 30)

struct bench_arguments {
	unsigned int integers, reals;
	long integer[BENCH_INTEGERS]; /* or the address of a string or buffer */
	double real[BENCH_REALS];     /* f32: a float in the low half */
	void *memory[BENCH_INTEGERS]; /* what strings and buffers own; NULL: nothing */
};

/* Takes `count` words. A buffer's bytes are 1 to 255 in an order that is the same
 * every time, and a 0 follows it: it is a string as well; it begins on a cache line.
 * 0; or -1 and one line in `why`, nothing to free. */
int bench_arguments_parse(struct bench_arguments *a, char **words, int count, char *why,
			  size_t size);

void bench_arguments_free(struct bench_arguments *a);

#define BENCH_REPLICATIONS_LEAST 2
#define BENCH_REPLICATIONS_MOST	 10000
#define BENCH_WARMUP_MOST	 1000000
#define BENCH_MIN_TIME_LEAST_NS	 UINT64_C(1000)
#define BENCH_MIN_TIME_MOST_NS	 UINT64_C(60000000000)
#define BENCH_TIMEOUT_MOST_NS	 UINT64_C(86400000000000)

/* A loop lasts up to twice the least time, and once more for safety. */
#define BENCH_TIMEOUT_LOOPS 4

/* What to measure and how; borrowed. Either `library` or `path` is set. */
struct bench_plan {
	const char *library, *function; /* a function, called with `arguments` */
	const struct bench_arguments *arguments;
	const char *path; /* a command: its file and argument list */
	char **command;
	bool any_status;	   /* a command that fails is measured all the same */
	enum scp_clock_kind clock; /* SCP_CLOCK_TSC or SCP_CLOCK_MONOTONIC */
	double ns_per_unit;	   /* of that clock */
	uint64_t min_time_ns;	   /* a loop lasts at least this long */
	uint64_t timeout_ns;	   /* and no longer than this */
	uint32_t replications, warmup;
	/* Called a few times a second by the process that waits for the one that measures, with
	 * the share of the replications that are made; NULL: no callback. */
	void (*progress)(void *context, double share);
	void *context;
};

/* One turn of the outer loop; durations in the clock's units, of `calls` calls. */
struct bench_replication {
	uint64_t began_ns; /* since the first */
	uint64_t subject, empty;
	uint32_t switches; /* involuntary context switches of the subject */
};

enum bench_phase {
	BENCH_STARTING,
	BENCH_LOADING,
	BENCH_FIRST,
	BENCH_WARMING,
	BENCH_DOUBLING,
	BENCH_REPLICATING,
	BENCH_FINISHED
};

/* Shared with the child. User code can write to it: nothing in it is trusted
 * before bench_run has checked it. */
struct bench_record {
	volatile uint32_t phase, replication;
	volatile uint64_t loop_began_ns; /* CLOCK_MONOTONIC */
	volatile uint32_t refused;	 /* enum bench_end, with `why` */
	char why[512];
	uint64_t calls;	       /* in a loop, found by doubling */
	uint64_t warmup_calls; /* made and not counted, the first among them */
	uint64_t first;	       /* how long the first call took, in units */
	struct cpu_times_steal steal_from, steal_to;
	uint64_t took_ns; /* all replications */
	struct bench_replication replications[];
};

enum bench_end {
	BENCH_DONE,
	BENCH_BAD,     /* no such library, function or command: for the user to correct */
	BENCH_FAILED,  /* the system refused something: memory, processes */
	BENCH_DIED,    /* user code crashed, exited, or (a command) failed */
	BENCH_ENDLESS, /* it did not return within the timeout */
	BENCH_STOPPED  /* a signal asked scprof to end */
};

struct bench_error {
	int signal;	 /* BENCH_STOPPED: which */
	char text[1024]; /* one line, no name of the tool */
};

/* The clock for a plan: kind, and nanoseconds a unit by 20 ms of calibration. `kind`
 * SCP_CLOCK_NONE: the TSC if it can be trusted, else CLOCK_MONOTONIC. 0; or -1 with
 * the reason in `why`, if a TSC was asked for that cannot be trusted. */
int bench_set_clock(struct bench_plan *plan, enum scp_clock_kind kind, char *why, size_t size);

/* Measure. On BENCH_DONE *record is the caller's to give to bench_free_record, else
 * NULL and *err says what happened. Standard input and output of user code are
 * /dev/null; its standard error is ours. One thread at a time: signals are held. */
enum bench_end bench_run(const struct bench_plan *plan, struct bench_record **record,
			 struct bench_error *err);
void bench_free_record(struct bench_record *record, const struct bench_plan *plan);
