// SPDX-License-Identifier: GPL-3.0-or-later
/* One page or pprof profile, made in a process of its own (renderer.h). Each function is called by
 * the one thread that has the rendering, which outlives the process: the kernel ends the process
 * when that thread ends. */
#ifndef SCPROF_SERVE_RENDER_RENDERING_H
#define SCPROF_SERVE_RENDER_RENDERING_H

#include "serve/render/renderings.h"
#include "serve/render/snapshot.h"

enum rendering_result {
	RENDERING_GOING, /* it has read: RENDERER_READ */
	RENDERING_DONE,
	RENDERING_EMPTY,
	RENDERING_UNREADABLE,
	RENDERING_STOPPED, /* by renderings_stop, or the client has left */
	/* failures, which /healthz tells of */
	RENDERING_LATE,
	RENDERING_NO_MEMORY,
	RENDERING_TOO_LONG, /* what it made */
	RENDERING_DIED,
	RENDERING_NO_PROCESS /* errno says why */
};

/* Start its process, for a job whose `agent` and `limits` are filled in here.
 * RENDERING_GOING, _STOPPED or _NO_PROCESS. */
enum rendering_result rendering_start(struct renderings *all, struct rendering *one,
				      struct renderer_job *job);

/* Hand it a snapshot, and wait for what it says next. Leaves no process unless RENDERING_GOING. */
enum rendering_result rendering_ask(struct renderings *all, struct rendering *one,
				    const struct snapshot *s, int client,
				    struct renderer_message *said);

/* End its process, whatever it does. */
void rendering_stop(struct renderings *all, struct rendering *one);

/* Has a client gone? One that has only shut down its sending side counts as gone: no client of
 * these pages does that. */
bool rendering_has_left(int client);

#endif
