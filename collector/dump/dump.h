// SPDX-License-Identifier: GPL-3.0-or-later
/* What each thread of a process does now. It is read from /proc and from the process's memory, to
 * which nothing is written: a thread that sleeps is not stopped, one that runs for a moment
 * (attach_sample.h). Threads go on meanwhile: each is as it was at a moment of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

/* A descriptor: "socket", "pipe", "file", "epoll", "eventfd", ...; and which: "TCP 127.0.0.1:80,
 * listens", a path. What a process names may hold any bytes. */
struct dump_fd {
	int number; /* -1: none */
	char kind[24], what[200];
};

struct dump_thread {
	pid_t tid;	 /* first: they are ordered by it */
	pid_t inner_tid; /* in its own pid namespace */
	char name[32];
	char state;	    /* as in /proc/PID/stat: R, S, D, T, t, Z, ... */
	bool waits_for_cpu; /* of one in state R */
	double for_s;	    /* since when it is asleep; NAN: not known */
	uint64_t cpu_ns;    /* that it used so far... */
	uint64_t read_ns;   /* ...by CLOCK_MONOTONIC */
	long call;	    /* number of its system call; -1: none, or not known */
	uint64_t argument[6];
	struct dump_fd fd;
	uint64_t futex;			 /* address that it waits on; 0: none */
	size_t waiters;			 /* threads that wait there, this one included */
	const struct dump_thread *owner; /* of the lock there; NULL: not known, or no lock */
	bool joins;			 /* `owner` is the thread whose end it waits for */
	struct prof_frame *frame;	 /* innermost first; of `names` */
	uint32_t frames;
	/* What of libc was called, where its innermost frames have no name. PROF_NO_MODULE: not
	 * known */
	struct prof_frame entered;
	bool cut; /* there are more, which were not found */
};

struct dump {
	pid_t pid;
	struct dump_thread *thread; /* by number */
	size_t threads;
	double stopped_ms; /* the longest that a thread was stopped */
	/* Modules, Python's functions and lines, and the process, for symbolize_new(). */
	struct profile *names;
};

/* NULL and *err: who may not attach to the process may not look into it, and it may have ended.
 * Without `sample` nothing is stopped, and threads that run have no frames. Takes what reading
 * takes, and 20 ms where a thread runs, 10 s at most to stop those that do. The calling thread is
 * moved between processors meanwhile.
 */
struct dump *dump_take(pid_t pid, bool sample, struct profile_error *err);
void dump_free(struct dump *d);

/* What the kernel counts of the threads that a process has now. */
struct dump_times {
	size_t threads;
	double at_s; /* CLOCK_MONOTONIC */
	double on_cpu_s, runnable_s;
};
struct dump_times dump_times(pid_t pid);

/* "accept4"; NULL: not known. */
const char *dump_call_name(long call);
