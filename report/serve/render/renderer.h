// SPDX-License-Identifier: GPL-3.0-or-later
/* The process that renders one page or pprof profile, or names what is computed (`scprof
 * serve-render`, started by rendering.c), so that a profile that cannot be rendered harms nobody
 * else. Descriptor 0 is its socket, descriptor 1 its output. It receives a renderer_job and a
 * snapshot, answers RENDERING_GOING when it has read them, receives a second snapshot if the job
 * has a window, and answers with the result. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "report/serve/agent/agent.h"

/* Whole models, call paths included, of what the agent follows at one moment. Taken under the
 * agent's lock, loaded without it, in another process (renderer.h): descriptors are copied, so
 * files that go away meanwhile can still be read. */

#define SNAPSHOT_NO_OWNER UINT32_MAX /* no file, or files of several users */

struct snapshot_file {
	int fd;
	dev_t device;
	ino_t inode;
	uint32_t clock;
	bool loaded;
};

struct snapshot {
	struct snapshot_file *file;
	size_t files;
	uint32_t clock;	     /* that most files have, or that was asked for; NONE: no file */
	uint32_t owner;	     /* the user of all of them */
	uint64_t most_bytes; /* of a file */
	size_t left_out;     /* of another clock, or not readable now */
	bool no_memory;	     /* out of memory while one was read */
};

/* service NULL: all; clock SCP_CLOCK_NONE: the one that most of the files have. Takes the lock. 0,
 * ENOMEM, or EMFILE: too few descriptors, of which copies leave some to connections and others.
 * snapshot_free is due either way. */
int snapshot_take(struct snapshot *s, struct agent *a, const char *service, uint32_t clock);
void snapshot_free(struct snapshot *s);

/* Takes one file that the page / lists. Takes the lock. 0 (no file where it is not listed, or has
 * gone) or ENOMEM; snapshot_free is due either way. */
int snapshot_take_listed(struct snapshot *s, struct agent *a, const char *path);

/* Add every file of s->clock to the model that `accept` (NULL: all) likes. */
void snapshot_load(struct snapshot *s, struct profile *p,
		   bool (*accept)(const struct snapshot_file *f, const void *context),
		   const void *context);

/* The same file in another snapshot; NULL: it is not there. */
const struct snapshot_file *snapshot_find(const struct snapshot *s, const struct snapshot_file *f);

#define RENDERER_COMMAND "serve-render"
#define RENDERER_AGENT	 UINT32_MAX /* as a user: the agent's own rights */
#define RENDERER_NOBODY	 65534	    /* user and group */

struct renderer_limits {
	double seconds;	 /* until it has read, and again until it has rendered; twice that of CPU */
	uint64_t memory; /* bytes of its address space */
	uint64_t output; /* bytes */
};

enum renderer_product { RENDERER_PAGE, RENDERER_PPROF, RENDERER_COMPUTING /* a structure */ };

struct renderer_job {
	pid_t agent;
	uint32_t user; /* whose rights it has; RENDERER_AGENT: the agent's */
	enum renderer_product product;
	bool guarded;	/* symbolize_guard */
	double seconds; /* of the window; 0: all since the processes began */
	struct renderer_limits limits;
};

/* The result. The process says the first ones, its agent finds the others. */
enum rendering_result {
	RENDERING_GOING, /* it has read */
	RENDERING_DONE,
	RENDERING_EMPTY,      /* no process */
	RENDERING_UNREADABLE, /* a file that was read when the window began cannot be read any more
			       */
	RENDERING_NO_MEMORY,
	RENDERING_STOPPED, /* the server ends, or the client has left */
	RENDERING_LATE,
	RENDERING_TOO_LONG, /* what it made */
	RENDERING_DIED,
	RENDERING_NO_PROCESS
};

struct renderer_message {
	enum rendering_result result;
	uint64_t left_out; /* processes */
};

/* The exit status; nothing is printed. */
int renderer_main(void);

/* RENDERER_COMPUTING, to descriptor 1, of a snapshot of one file of samples. */
enum rendering_result sampled_write(struct snapshot *s);

/* agent_options.meet_samples: has that made, and takes it. */
void sampled_meet(struct agent *a, int directory, const char *path, const char *name);

/* How a snapshot gets from the agent to the process that renders it: over a SOCK_SEQPACKET socket,
 * with its descriptors. */

/* 0, or -1 with errno: EAGAIN where the other side has not read for SO_SNDTIMEO. */
int renderer_wire_send(int socket, const struct snapshot *s);

/* 0, and snapshot_free is due; or -1: the process should end. */
int renderer_wire_receive(int socket, struct snapshot *s);

/* The calls of a window of time: the difference of two snapshots, path by path; or, of one
 * snapshot, all since its processes began. Single-threaded. */

struct pprof_window {
	struct profile *profile;
	struct model_mark mark; /* what was there at the beginning */
	struct timespec began;
	size_t left_out; /* processes: of another clock, or not readable */
};

/* Read the first snapshot. `ends`: pprof_window_end will subtract it from the last one.
 * pprof_window_free is due either way. RENDERING_DONE, _NO_MEMORY or _UNREADABLE. */
enum rendering_result pprof_window_begin(struct pprof_window *w, struct snapshot *first, bool ends);

/* `seconds` later: w->profile becomes what happened in between. `last` has the clock of `first`,
 * which is as pprof_window_begin left it. */
enum rendering_result pprof_window_end(struct pprof_window *w, struct snapshot *first,
				       struct snapshot *last, double seconds);
void pprof_window_free(struct pprof_window *w);

/* A page or pprof profile, made in a process of its own (renderer.h). One thread has a rendering
 * and calls all functions of it. The kernel ends the process when that thread ends. */

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
	uint64_t cpu_ns;	     /* that the last one took, once it has ended */
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
