// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of dump.h. */
#pragma once

#include "collector/attach/safe_point/safe_point_private.h"
#include "collector/dump/dump.h"
#include "collector/python/interpreter.h"

/* The descriptor that the thread's system call is about; sockets and pipes as /proc's links. */
void dump_fd_find(const struct dump *d, struct dump_thread *t);

/* Say which sockets and pipes these are: what the kernel lists is read once for all threads. */
void dump_fd_name(struct dump *d);

/* Call paths. */

/* What was read of a thread at one moment. */
struct dump_moment {
	bool all; /* its registers; else stack pointer and pc */
	double held_ms;
	struct safe_point_registers registers;
	struct safe_point_window window;
	struct interpreter_frame python[INTERPRETER_FRAMES];
	size_t pythons;
};

struct dump_stacks {
	struct safe_point_objects objects;
	struct proc_map_list maps;
	struct safe_point_rows *rows;
	uint32_t *module; /* of `names`, by object; PROF_NONE: not named yet */
	struct interpreter python;
	bool alone; /* its object is the interpreter, and nothing else */
	struct safe_point_stack stack;
};

/* False: its memory cannot be read, or there is none. dump_stack_close() in any case. */
bool dump_stack_open(struct dump_stacks *s, const struct dump *d);
void dump_stack_close(struct dump_stacks *s);

/* Fill in the thread's frames. */
void dump_stack_walk(struct dump_stacks *s, const struct dump_moment *m, struct profile *names,
		     struct dump_thread *t);
