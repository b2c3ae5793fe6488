// SPDX-License-Identifier: GPL-3.0-or-later
/* The stack of a stopped thread. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_FRAMES_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/safe_point/machine.h"
#include "collector/attach/safe_point/objects.h"

#define SAFE_POINT_FRAMES 1024

enum safe_point_end {
	SAFE_POINT_WHOLE,     /* down to where the thread, or coroutine, began */
	SAFE_POINT_GENERATED, /* a caller is code without unwind tables: made at run time, or so
				 built */
	SAFE_POINT_ASTRAY     /* cannot be followed */
};

struct safe_point_frame {
	uint64_t at; /* within the call, not behind it */
	const struct safe_point_object *object;
	const struct safe_point_symbol *symbol; /* of libc; NULL: it is not exported */
	bool stopped;				/* there, or by a signal: it has not called */
};

struct safe_point_stack {
	struct safe_point_registers innermost;
	struct safe_point_frame frame[SAFE_POINT_FRAMES];
	size_t count;
	/* What of libc was called, where none of the innermost frames has a name: libc's functions
	 * often end in a jump to such a one. NULL: not known. */
	const struct safe_point_symbol *entered;
	enum safe_point_end end;
	bool signal; /* a handler is on it */
	struct safe_point_alternate alternate;
	uint64_t rest; /* the stack pointer where following it ended */
	struct safe_point_window window;
};

/* The object is libc, or libpthread. */
bool frames_libc(const struct safe_point_object *o);

struct safe_point_rows;

/* Rows once computed. NULL: no memory. They belong to these objects as they are now. */
struct safe_point_rows *frames_rows(void);
void frames_forget(struct safe_point_rows *rows);

/* Fill in *s. False: the registers cannot be had. */
bool frames_walk(const struct safe_point_objects *o, struct safe_point_rows *rows, pid_t tid,
		 struct safe_point_stack *s);

#endif
