// SPDX-License-Identifier: GPL-3.0-or-later
/* One page or pprof profile, made in a process of its own (renderer.h). Each function is called by
 * the one thread that has the rendering, which outlives the process: the kernel ends the process
 * when that thread ends. */
#ifndef SCPROF_REPORT_SERVE_RENDER_RENDERING_H
#define SCPROF_REPORT_SERVE_RENDER_RENDERING_H

#include <pthread.h>

#include "report/serve/agent/agent.h"
#include "report/serve/render/renderer.h"
#include "report/serve/sums/label.h"

/* Whose turn it is to be rendered. Renderings take memory and CPU: a few at a time, one for a
 * service, and, if root reads everybody's profiles, at most half of them for one other user. The
 * next one is of the user with fewest, then the one that came first. So profiles that cannot be
 * rendered hold up those of others for one limit of time at most. Thread-safe. */

#define RENDERINGS_MOST	    4 /* at a time; and the windows that wait for their end */
#define RENDERINGS_OF_OWNER 2 /* of them, where there are several users */

#define RENDERING_SECONDS 60
#define RENDERING_MEMORY  (UINT64_C(2) << 30)
#define RENDERING_OUTPUT  (UINT64_C(256) << 20)

enum rendering_state {
	RENDERING_IDLE,	 /* needs no turn: a window waits for its end */
	RENDERING_WAITS, /* for its turn */
	RENDERING_WORKS,
	RENDERING_STUCK /* was killed, but its process still exists */
};

struct rendering {
	char service[LABEL_BYTES]; /* "": all */
	uint32_t owner;		   /* SNAPSHOT_NO_OWNER: several */
	enum rendering_state state;
	uint64_t number; /* in the order in which they came */
	pid_t pid;	 /* 0: none */
	int socket;	 /* to it; -1: none */
	int output;	 /* what it makes; -1: none */
	int status;	 /* of waitpid, where it ended by itself */
	struct rendering *next;
};

struct renderings {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct rendering *first;
	uint64_t count; /* that came */
	bool several;	/* users */
	bool stopping;
	struct renderer_limits limits;
};

void renderings_begin(struct renderings *all, bool several_users);

/* End their processes; from now on no turn is given. */
void renderings_stop(struct renderings *all);

/* After all threads that had one have ended. */
void renderings_end(struct renderings *all);

/* One that has no turn yet. NULL: out of memory. */
struct rendering *renderings_add(struct renderings *all, const char *service, uint32_t owner);

enum renderings_answer {
	RENDERINGS_YOURS,
	RENDERINGS_BUSY,   /* not within two limits of time */
	RENDERINGS_STOPPED /* the server ends, or has_left said so */
};

/* Wait for the turn; `has_left` is called once a second. */
enum renderings_answer renderings_enter(struct renderings *all, struct rendering *one,
					bool (*has_left)(int client), int client);
/* The turn is over; the process stays. */
void renderings_leave(struct renderings *all, struct rendering *one);

/* Free one whose process was reaped (pid 0), or will be by renderings_tend. */
void renderings_remove(struct renderings *all, struct rendering *one);

/* Call this every second: reaps processes that were left. */
void renderings_tend(struct renderings *all);

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
