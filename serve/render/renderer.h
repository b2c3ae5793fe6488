// SPDX-License-Identifier: GPL-3.0-or-later
/* The process in which one page or pprof profile is made (`scprof serve-render`, started by
 * rendering.c): what a profile does to it, it does to nobody else.
 *
 * Its socket is descriptor 0, what it makes goes to descriptor 1. It gets a renderer_job and a
 * snapshot; says RENDERER_READ when it has read that; gets a second snapshot where the job has a
 * window; and says what came of it. */
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
	RENDERER_UNREADABLE, /* WINDOW_UNREADABLE */
	RENDERER_NO_MEMORY
};

struct renderer_message {
	enum renderer_word word;
	uint64_t left_out; /* processes */
};

/* The exit status; nothing is printed. */
int renderer_main(void);

#endif
