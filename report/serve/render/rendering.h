// SPDX-License-Identifier: GPL-3.0-or-later
/* A page or pprof profile, made in a process of its own (renderer.h). One thread has a rendering
 * and calls all functions of it. The kernel ends the process when that thread ends. */
#ifndef SCPROF_REPORT_SERVE_RENDER_RENDERING_H
#define SCPROF_REPORT_SERVE_RENDER_RENDERING_H

#include <stdatomic.h>

#include "report/serve/agent/agent.h"
#include "report/serve/render/renderer.h"

#define RENDERING_SECONDS 60
#define RENDERING_MEMORY  (UINT64_C(2) << 30)
#define RENDERING_OUTPUT  (UINT64_C(256) << 20)

struct rendering {
	struct renderer_limits limits;
	const atomic_bool *stopping; /* the server's end, which ends the rendering, too */
	pid_t pid;		     /* 0: none */
	int socket;		     /* to it; -1: none */
	int output;		     /* what it makes; -1: none */
	int status;		     /* of waitpid, where it ended by itself */
};

/* seconds 0: RENDERING_SECONDS. rendering_end is due afterwards. */
void rendering_begin(struct rendering *one, const atomic_bool *stopping, double seconds);

/* End its process, whatever it does, and close its descriptors. */
void rendering_end(struct rendering *one);

/* Start its process, for a job whose `agent` and `limits` are filled in here.
 * RENDERING_GOING or _NO_PROCESS. */
enum rendering_result rendering_start(struct rendering *one, struct renderer_job *job);

/* Hand it a snapshot, and wait for what it says next. Leaves no process unless RENDERING_GOING. */
enum rendering_result rendering_ask(struct rendering *one, const struct snapshot *s, int client,
				    struct renderer_message *said);

/* Has a client gone? One that has only shut down its sending side counts as gone: no client of
 * these pages does that. */
bool rendering_has_left(int client);

#endif
