// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of dump.h. */
#ifndef SCPROF_COLLECTOR_DUMP_DUMP_PRIVATE_H
#define SCPROF_COLLECTOR_DUMP_DUMP_PRIVATE_H

#include "collector/attach/safe_point/safe_point_private.h"
#include "collector/dump/dump.h"
#include "preload/python/python_layout.h"

/* The descriptor that the thread's system call is about, and what that is. */
void dump_fd_find(const struct dump *d, struct dump_thread *t);

/* CPython in the process, by preload/python's layouts. */

#define DUMP_PYTHON_FRAMES 512

/* A Python frame as it stands in memory; `ends`: the C function that executes it executes none that
 * is further out. */
struct dump_python_frame {
	uint64_t code, instruction;
	bool ends;
};

struct dump_python {
	pid_t pid;
	const struct safe_point_object
		*object; /* that holds the interpreter; NULL: there is none */
	struct python_layout layout;
	uint64_t runtime;
	struct safe_point_place loop;
	bool alone; /* the object is the interpreter, and nothing else */
	struct {
		pid_t tid; /* as the process numbers it */
		uint64_t state;
	} * thread;
	size_t threads;
};

/* Look for it, and for its threads, which are among those of `d`. */
void dump_python_open(struct dump_python *p, const struct safe_point_objects *o,
		      const struct dump *d);

/* The frames of a thread, innermost first; their number. A few hundred system calls at most. */
size_t dump_python_read(const struct dump_python *p, pid_t inner_tid,
			struct dump_python_frame frame[DUMP_PYTHON_FRAMES]);

/* As a frame of `names`. False: it is none, or one that no traceback has. */
bool dump_python_name(const struct dump_python *p, const struct dump_python_frame *frame,
		      struct profile *names, struct prof_frame *out);

/* Call paths. */

/* What was read of a thread at one moment. */
struct dump_moment {
	bool all; /* its registers; else stack pointer and pc */
	double held_ms;
	struct safe_point_registers registers;
	struct safe_point_window window;
	struct dump_python_frame python[DUMP_PYTHON_FRAMES];
	size_t pythons;
};

struct dump_stacks {
	struct safe_point_objects objects;
	struct proc_map_list maps;
	struct safe_point_rows *rows;
	uint32_t *module; /* of `names`, by object; PROF_NONE: not named yet */
	struct dump_python python;
	struct safe_point_stack stack;
};

/* False: its memory cannot be read, or there is none. dump_stack_close() in any case. */
bool dump_stack_open(struct dump_stacks *s, const struct dump *d);
void dump_stack_close(struct dump_stacks *s);

/* Fill in the thread's frames. */
void dump_stack_walk(struct dump_stacks *s, const struct dump_moment *m, struct profile *names,
		     struct dump_thread *t);

#endif
