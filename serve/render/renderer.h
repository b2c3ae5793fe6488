// SPDX-License-Identifier: GPL-3.0-or-later
/* The process that renders one page or pprof profile (`scprof serve-render`, started by
 * rendering.c), so that a profile that cannot be rendered harms nobody else.
 *
 * Descriptor 0 is its socket, descriptor 1 its output. It receives a renderer_job and a snapshot,
 * answers RENDERER_READ when it has read them, receives a second snapshot if the job has a
 * window, and answers with the result. */
#ifndef SCPROF_SERVE_RENDER_RENDERER_H
#define SCPROF_SERVE_RENDER_RENDERER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RENDERER_COMMAND "serve-render"
#define RENDERER_AGENT	 UINT32_MAX /* as a user: the agent's own rights */
#define RENDERER_NOBODY	 65534	    /* user and group */

struct renderer_limits {
	double seconds;	 /* until it has read, and again until it has rendered; twice that of CPU */
	uint64_t memory; /* bytes of its address space */
	uint64_t output; /* bytes */
};

struct renderer_job {
	pid_t agent;
	uint32_t user;	/* whose rights it has; RENDERER_AGENT: the agent's */
	bool pprof;	/* else a page */
	bool guarded;	/* symbolize_guard */
	double seconds; /* of the window; 0: all since the processes began */
	struct renderer_limits limits;
};

enum renderer_word {
	RENDERER_READ,
	RENDERER_DONE,
	RENDERER_EMPTY,	     /* no process */
	RENDERER_UNREADABLE, /* PPROF_WINDOW_UNREADABLE */
	RENDERER_NO_MEMORY
};

struct renderer_message {
	enum renderer_word word;
	uint64_t left_out; /* processes */
};

/* The exit status; nothing is printed. */
int renderer_main(void);

#endif
