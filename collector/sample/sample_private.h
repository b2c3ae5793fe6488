// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of sampler.h, from the kernel's records to counted paths. */
#pragma once

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/safe_point/safe_point_private.h"
#include "profile/profile.h"

struct interpreter_chain;
struct python_layout;
struct random;

#define SAMPLE_STACK 16384u /* bytes of a stack that come with a sample */
#define SAMPLE_WHY   200u

/* The events and the rings that they fill, one a CPU (sample_events.c). */

struct sample_ring {
	int fd;
	struct perf_event_mmap_page *page;
	const uint8_t *data;		      /* lies behind it */
	uint64_t bytes;			      /* of the data: a power of two */
	uint64_t head, freed;		      /* what we and the kernel last told each other */
	uint64_t tail, time_ns;		      /* of the record that comes next */
	const struct perf_event_header *next; /* NULL: not looked at, or there is none */
	uint64_t *whole;		      /* a copy of one that wraps; NULL: none yet */
	struct interpreter_chain *chain; /* what was put before the next record; NULL: none yet */
	pid_t chain_tid;		 /* whose it is; 0: it is of no use any more */
};

/* Of a thread on a CPU, or of a whole CPU (tid -1). */
struct sample_event {
	int fd;
	pid_t tid;
	uint32_t ring, samples; /* since its period was drawn */
};

struct sample_events {
	bool whole; /* they see CPUs, and all that runs there; else threads and what these begin */
	bool user;  /* in user space only */
	struct sample_ring *ring;
	struct sample_event *event;
	uint32_t rings, events;
	struct {
		bool tried, fail;
		int threads, outputs; /* BPF maps */
	} chains;
	const struct interpreter_chain
		*chain;	      /* of the sample that was returned last; NULL: none */
	char why[SAMPLE_WHY]; /* none could be opened */
};

/* Of the threads of processes; of one that `begins` once it becomes another program. False:
 * e->why. To be closed either way. */
bool sample_events_open(struct sample_events *e, const pid_t *pid, size_t count, bool begins,
			uint64_t period_ns);
/* Draws new periods, uniform in half of the mean to one and a half, for those that have had samples
 * since: what an event had of its period is lost, and must be little. */
void sample_events_redraw(struct sample_events *e, struct random *r, uint64_t period_ns);
void sample_events_close(struct sample_events *e);

/* The record of all rings that is the oldest, to be counted before the next call; NULL: there is
 * none as old as limit_ns. */
const struct perf_event_header *sample_events_next(struct sample_events *e, uint64_t limit_ns,
						   uint64_t *time_ns);

/* A Python thread's frames, which the kernel copies at the instant of each of its samples, where it
 * lets us (chain.c), by where its state is. The first call opens what that takes. */
void chain_watch(struct sample_events *e, pid_t pid, pid_t tid, uint64_t state,
		 const struct python_layout *l);
/* True: the record is no sample, but the chain of the one that comes next. */
bool chain_keep(struct sample_events *e, struct sample_ring *r, const struct perf_event_header *h);

/* Files that processes have mapped (image.c). */

#define SAMPLE_SEGMENTS 16
#define SAMPLE_BLOCKS	64 /* a power of two */

struct sample_image {
	char *path;
	uint64_t device, inode;
	int fd;		     /* -1: the vdso, or nothing could be read */
	const uint8_t *vdso; /* NULL: a file */
	struct {
		uint64_t offset, address, bytes;
		bool code;
	} segment[SAMPLE_SEGMENTS];
	size_t segments;     /* 0: it cannot be read, or is another file than was mapped */
	uint64_t first, end; /* addresses in the file */
	uint64_t frame_header;
	int32_t *frame;
	size_t frames;
	enum safe_point_kind kind;
	struct sample_block *block; /* SAMPLE_BLOCKS of what was read last; NULL: no memory */
	uint64_t recorded, recorded_bytes, passed, passed_bytes; /* of ours: wrappers */
	bool examined;		      /* whether it is a Python interpreter... */
	struct sample_places *places; /* ...and is one: python.c; NULL: none */
	uint8_t build_id[SCP_BUILD_ID_MAX];
	uint32_t build_id_bytes;
};

struct sample_images {
	struct sample_image *image;
	uint32_t count;
};

/* The index of a file as a process has it; UINT32_MAX: no file, too many, or no memory. */
uint32_t image_find(struct sample_images *all, const char *path, uint64_t device, uint64_t inode,
		    pid_t pid);
size_t image_read(const struct sample_image *i, uint64_t address, void *to, size_t bytes);
void image_free(struct sample_images *all);

/* Processes and what they have mapped (space.c). */

#define SAMPLE_NONE	 UINT32_MAX
#define SAMPLE_STRANGERS 256

struct sample_map {
	uint64_t start, end, offset;
	uint32_t image; /* index; SAMPLE_NONE: code of no file */
};

/* A process from its beginning, or from an exec, on. */
struct sample_life {
	pid_t pid, inner_pid;	 /* the second: in its own namespace; 0: not looked for yet */
	bool counts;		 /* its samples do */
	bool records;		 /* it has begun to, itself; where that is asked for */
	bool doubted;		 /* records were lost: its maps are to be read anew... */
	uint64_t renewed_ns;	 /* ...once that is long enough ago */
	uint32_t before;	 /* the life that forked or became it; SAMPLE_NONE: none */
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC_RAW; to 0: it goes on */
	struct sample_map *map;	 /* code, by address */
	uint32_t maps, map_room;
	struct safe_point_objects objects;
	uint32_t *image;	      /* by object */
	struct safe_point_rows *rows; /* NULL: the objects are to be read */
	struct sample_python *python; /* NULL: no interpreter was seen there */
};

struct sample_spaces {
	struct sample_images images;
	struct sample_life *life;
	uint32_t *live; /* those that go on, or ended just now */
	uint32_t lives, live_count;
	uint64_t asked_ns; /* not before that for a parent again */
	bool lossy;	   /* records were lost: there may be processes that are not known */
	pid_t stranger[SAMPLE_STRANGERS]; /* that descend from none of the run's; by number */
};

/* A process that runs, as /proc has it; `counts`: from now on, or from its exec on. */
bool space_add(struct sample_spaces *s, pid_t pid, bool counts, uint64_t now_ns);
/* Of a parent that is not known, a number that is may be another process's now. */
void space_fork(struct sample_spaces *s, pid_t parent, pid_t pid, uint64_t at_ns);
void space_exec(struct sample_spaces *s, pid_t pid, uint64_t at_ns);
void space_end(struct sample_spaces *s, pid_t pid, uint64_t at_ns);
/* Records were lost: maps are doubted until they are read anew, and a process from whose exec on
 * samples count may be another program by now. */
void space_catch_up(struct sample_spaces *s);
void space_map(struct sample_spaces *s, pid_t pid, const struct sample_map *at, const char *path,
	       const uint64_t file[2]);
/* Index of the life of a process; SAMPLE_NONE: it is none of the run. */
uint32_t space_find(const struct sample_spaces *s, pid_t pid);
/* By the number that it has in its own namespace. */
uint32_t space_find_inner(const struct sample_spaces *s, pid_t pid);
/* The same of a process that is not known, where records were lost: its parent may be. */
uint32_t space_adopt(struct sample_spaces *s, pid_t pid);
/* The life with objects to walk in; NULL: no memory, or its maps are in doubt. */
struct sample_life *space_read(struct sample_spaces *s, uint32_t life);
/* CPU time, or that in user space alone, which the kernel has charged to the processes whose
 * samples count and to children that they have waited for, in ns: in steps of its ticks, and not
 * from when samples began. */
uint64_t space_charged_ns(const struct sample_spaces *s, bool user);
/* Forget what ended a second before that, and is not there any more. */
void space_purge(struct sample_spaces *s, uint64_t now_ns);
void space_free(struct sample_spaces *s);

/* From a sample to frames (walk.c): images by index as modules, PROF_NO_MODULE elsewhere. */

struct sample_stack {
	struct safe_point_registers registers;
	uint64_t at;
	const uint8_t *bytes;
	size_t count;
	pid_t tid;
	uint64_t now_ns, age_ns; /* when it is looked at, and how long after its instant */
	struct sample_events *events;
	const struct interpreter_chain *chain; /* Python frames of its instant; NULL: none */
};

struct sample_path {
	uint32_t kind, flags, frames; /* enum scp_sample_kind, SCP_PATH_* */
	struct prof_frame frame[SCP_MAX_FRAMES];
};

/* Python functions and lines go into `names`. */
void walk_sample(const struct sample_images *images, struct sample_life *life,
		 const struct sample_stack *stack, struct profile *names, struct sample_path *path);

/* Python functions (python.c), of a process while it is there to be read. */

#define SLOTS  96u /* words of the loop's frame, from its caller's on */
#define PLACES (ARCH_REGS + SLOTS)

/* How often a place held what the thread's state says: where the loop is innermost, and where it
 * has called. */
struct sample_places {
	uint32_t samples, frame[2][PLACES], instruction[2][PLACES];
	uint64_t last[2][PLACES];
};

/* The words that an activation of the loop has, by place. */
struct words {
	uint64_t of[PLACES];
	bool calling;
};

/* The interpreter of a life that has one; NULL: none, it cannot be read, or no memory. */
struct sample_python *python_open(struct sample_images *images, const struct sample_life *l);
void python_free(struct sample_python *y);
/* The code that executes Python functions; bytes 0: none. */
void python_loop(const struct sample_python *y, struct safe_point_place loop[2]);
/* Would more of the last sample have become known if it had been looked at sooner? */
bool python_ages(const struct sample_python *y);
/* Is the image the interpreter, and nothing else? */
bool python_is_own(const struct sample_python *y, uint32_t image);

enum python_found {
	PYTHON_UNKNOWN, /* no frame was added */
	PYTHON_WHOLE,
	PYTHON_CUT /* callers are not known */
};

/* Adds the Python frames that a C frame of the loop executes; `first`: it is the innermost. */
enum python_found python_frames(struct sample_python *y, const struct safe_point_held *h,
				bool first, const struct sample_stack *stack, struct profile *names,
				struct sample_path *path);

/* Counted paths (counts.c). All zero at first. */

struct counted {
	uint32_t life, kind, path; /* path: of names; SAMPLE_NONE */
};

struct sample_counts {
	struct profile *names; /* counts_names */
	struct counted *sample;
	uint32_t samples;
};

/* The model that paths, and Python's lines, are of. NULL: no memory. */
struct profile *counts_names(struct sample_counts *c);
/* A sample, of a path that may be cut; false: no memory for it. */
bool counts_add(struct sample_counts *c, uint32_t life, struct sample_path *path);
/* Into a profile, whose process a life is by `process`: once. -1: out of memory. */
int counts_into(struct sample_counts *c, const struct sample_spaces *s, const uint32_t *process,
		struct profile *p);
void counts_free(struct sample_counts *c);

/* From counted paths to a profile (save.c). */

/* As sampler_into, once. */
int save_into(const struct sample_spaces *s, struct sample_counts *c,
	      const struct prof_sampling *how, struct profile *p);

/* What is being written to PROF_SAMPLES_FILE meanwhile. All zero at first, but the directory. */
struct sample_save {
	char *directory; /* of the processes' profiles; NULL: nothing is written */
	bool runs, done; /* the thread was begun; it has ended */
	pthread_t thread;
	uint64_t due_ns, cpu_ns;
	uint32_t saved; /* samples */
	struct sample_spaces spaces;
	struct sample_counts counts;
	struct profile names;
	struct prof_sampling sampling;
};

bool save_is_due(struct sample_save *v, const struct sample_counts *c, uint64_t now_ns);
/* Begins to write what is due, in a thread that takes the caller's signal mask. */
void save_begin(struct sample_save *v, const struct sample_spaces *s, const struct sample_counts *c,
		const struct prof_sampling *how, uint64_t now_ns);
/* Waits for what is being written. The file stays. */
void save_end(struct sample_save *v);
