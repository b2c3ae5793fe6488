// SPDX-License-Identifier: GPL-3.0-or-later
/* The process under test (PUT) of the displacement experiments: one operation, so many
 * times (Woodside, Courtois and Schramm 1997, section 2). Whatever fails says so in one line
 * on standard error and ends the process with status 1. */
#ifndef SCPROF_EXAMPLES_PUT_H
#define SCPROF_EXAMPLES_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct put_options {
	uint64_t loops;
	size_t bytes;	     /* of a message; its reply is of one byte */
	double compute_us;   /* of computation an operation */
	double pause_us;     /* asleep an operation */
	double rate;	     /* turns of the computing loop a microsecond; 0: find out */
	int cpu, peer_cpu;   /* -1: wherever */
	const char *user_ns; /* files of /proc/PID/ns to enter; NULL: stay */
	const char *net, *peer_net;
	bool clocked;	     /* by perf's task-clock, too: */
	int clock;	     /* put_clock_open's */
	const char *address; /* where the sink listens: its own side of the wire */
};

/* Says why, and ends the process. */
_Noreturn void put_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- computation ---- */

/* So many turns of a chain of dependent multiplications. */
void put_spin(uint64_t turns);

/* Turns a microsecond of CPU time: the fastest of some short stretches. */
double put_rate(void);

/* Sleeps for o->pause_us; at once back if that is 0. */
void put_pause(const struct put_options *o);

/* Turns of one operation's computation. */
uint64_t put_turns(const struct put_options *o);

/* ---- time on the CPU ---- */

/* Begins to count for this process and those that it starts from now on. -1: says why not. */
int put_clock_open(void);

/* Seconds since then, of all that ended and live; NAN of -1. */
double put_clock_seconds(int clock);

/* ---- TCP ---- */

/* Forks the sink, sends it o->loops messages, each answered by one byte before the
 * next, and waits for the sink's end. With o->compute_us, computes between sending and
 * waiting for the answer; with o->pause_us, sleeps. Seconds of wall-clock time in the loop. */
double put_send(const struct put_options *o);

/* Confines the calling process to one CPU; -1: leaves it alone. */
void put_pin(int cpu);

/* Seconds of CLOCK_MONOTONIC_RAW. */
double put_now(void);

#endif
