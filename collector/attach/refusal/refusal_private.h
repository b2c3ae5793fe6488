// SPDX-License-Identifier: GPL-3.0-or-later
/* The steps of refusal_check: what /proc says of a process, of its memory and of its program, and
 * what follows from each. Those that only judge take facts, so that each verdict can be had. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "collector/attach/target/as_user.h"
#include "profile/profile.h"

#define REFUSAL_DORMANT "start it with LD_PRELOAD=libscprof.so SCPROF_STOPPED=1"

/* As the reader's namespaces see it. */
struct refusal_process {
	pid_t pid, tgid, parent, tracer;
	pid_t inner_pid; /* in its own pid namespace */
	char name[64];	 /* of the thread; for messages */
	char state;	 /* R, S, D, T (stopped), t (traced), Z, X, I */
	bool kernel;	 /* a kernel thread */
	struct as_user owner;
	uint32_t threads;
	int seccomp; /* SECCOMP_MODE_... */
};

/* "cannot attach to process 12 (nginx): " and the rest; returns -1. */
int refusal_say(const struct refusal_process *p, struct profile_error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* refusal_process.c */
/* 0; or -1 with *err: there is none. */
int refusal_process_read(pid_t pid, struct refusal_process *p, struct profile_error *err);
/* `tool`: our own process. `by_ptrace`: not by its page. */
int refusal_process_judge(const struct refusal_process *p, pid_t tool, bool by_ptrace,
			  struct profile_error *err);

/* Its memory is its own, not its parent's, as that of a child of vfork until it execs. Soon it may
 * be. */
int refusal_process_memory(const struct refusal_process *p, struct profile_error *err);

/* Who may trace. */
struct refusal_access {
	uid_t tool_uid; /* effective */
	bool may_trace; /* CAP_SYS_PTRACE */
	int yama;	/* kernel.yama.ptrace_scope; 0: no Yama */
	int error;	/* errno of the kernel */
};
struct refusal_access refusal_access_read(int error);
/* Why the kernel said no. Returns -1. */
int refusal_access_explain(const struct refusal_process *p, const struct refusal_access *a,
			   struct profile_error *err);
/* Asks the kernel: may this process do what ptrace needs? `address`: readable in it. 0; or -1 with
 * *err. */
int refusal_access_try(const struct refusal_process *p, uint64_t address,
		       struct profile_error *err);

/* What is mapped, and what is executed. */
struct refusal_maps {
	uint64_t readable; /* an address that can be read; 0: nothing is mapped */
	uint64_t libc;	   /* where the file of glibc's libc begins; 0: it is not mapped */
	bool preloaded;	   /* libscprof.so */
};
void refusal_program_parse_maps(FILE *maps, struct refusal_maps *m);
/* 0; or -1 with errno. */
int refusal_program_read_maps(pid_t pid, struct refusal_maps *m);

enum refusal_program {
	REFUSAL_PROGRAM_FINE,
	REFUSAL_PROGRAM_LOADING, /* will have libc mapped, and has not yet */
	REFUSAL_PROGRAM_REFUSED
};
enum refusal_program refusal_program_judge(const struct refusal_process *p,
					   const struct refusal_maps *m, const char *exe,
					   struct profile_error *err);
