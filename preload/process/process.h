// SPDX-License-Identifier: Apache-2.0
/* What there is once a process: its profile file, its functions, its epoch. */
#pragma once

#include "arch.h"
#include "preload/process/file.h"
#include "include/scprof_selected.h"
#include "include/scprof_format.h"
#include "preload/system/util.h"

/* Groups that are recorded (SCP_GROUP_*), 0 when nothing is, GROUPS_UNSET
 * before the first look at the environment. Read by every wrapper. */
#define GROUPS_UNSET 0x80000000u
/* Alone: recording is stopped, and may start again: see control.h. */
#define GROUPS_PAUSED 0x40000000u
extern HIDDEN uint32_t process_groups;

/* A page that the kernel wipes in a forked child (MADV_WIPEONFORK): generation
 * 0 means "not recording yet, or no longer the process that was". Every memo
 * carries the generation it was made in; unloading code raises it. */
struct process_epoch {
	uint32_t generation;
	uint32_t starting; /* a thread is in lifecycle_start */
	uint32_t session;  /* process.session while that is recorded, else 0: wiped likewise */
	uint32_t pid;	   /* whose it is; a vfork child, which has the page too, has another */
	bool noted;	   /* lifecycle.c has told whom it concerns that this is another process */
	uint32_t reading;  /* a thread reads the list of mappings */
	uint32_t measuring, leaving; /* threads: overhead.c; that exec or exit, wake_page.c */
	uint32_t early;		     /* calls before there was a profile, see call/call.h */
};
#define PROCESS_NOT_EARLY     (~0u >> 1)
#define PROCESS_NO_GENERATION (~0u) /* older than any, see process_is_over */
extern HIDDEN union process_epoch_page {
	struct process_epoch now;
	char page[ARCH_PAGE_MAX]; /* it shares a page with nothing else */
} process_epoch;

/* Ids of functions: of wrappers (function.h), of names of regions (region_name.h), of selected
 * functions (selected.h). An id is never another function's in the life of a process: calls that
 * begin late, in a later session, bring it along. */
#define REGION_FIRST	 256u
#define REGION_NAMES_MAX 4096u
#define SELECTED_FIRST	 (REGION_FIRST + REGION_NAMES_MAX)
static inline bool function_is_region(uint32_t id)
{
	return id >= REGION_FIRST && id < SELECTED_FIRST;
}
/* The slots of selected_slot. */
#define PROCESS_FUNCTIONS (SELECTED_FIRST + SCP_SELECTED_MAX)

/* What the library's own work costs a call. */
struct overhead_costs {
	struct scp_overhead main, slow;
	struct scp_way_costs ways, slow_ways;
	struct scp_inner_cost inner;
};

struct process {
	struct profile_file *file; /* never NULL; of an earlier session where it is not this one */
	/* By selected_slot: wrappers and selected functions; NULL without a file. */
	struct scp_function *function[PROCESS_FUNCTIONS];
	struct file_chunk chunk; /* PROCESS chunk that takes module records */
	uint32_t chunk_busy, touching;
	uint64_t touched_ns;	   /* when the anchor was refreshed: end_mono_ns of the header */
	uint32_t generation;	   /* the latest; unlike process_epoch's it survives a fork */
	uint32_t session;	   /* number of the present or latest one, see attach/session.h */
	uint32_t first_generation; /* of that one in this process */
	bool forked;		   /* this process began as a fork */
	/* What overhead.c measured at the start of this program: forked children have it too. */
	struct overhead_costs overhead;
};
extern HIDDEN struct process process;

/* sys_read_mappings for one thread at a time, signals held: the others wait. False: it was not
 * done, since no system call may be made, or a debugger has stopped a thread in it. `take` may not
 * look for objects. */
struct sys_mapping;
HIDDEN bool process_read_mappings(bool (*take)(const struct sys_mapping *m, void *context),
				  void *context);

/* Code was unloaded: every memo is stale. */
HIDDEN void process_next_generation(void);

/* Did what began in `generation` begin in an earlier session, or in a parent? */
static inline bool process_is_over(uint32_t generation)
{
	return (int32_t)(generation - process.first_generation) < 0;
}

/* A forked child that recorded nothing leaves no file (before exec, at exit). True: it is gone. */
HIDDEN bool process_discard_if_empty(void);

/* The file is gone, but the process goes on (exec failed): the next call begins a new one. */
HIDDEN void process_begin_anew(void);

/* Add to a counter in the file's header, if there is a file. */
#define process_count(field, by)                                                                   \
	do {                                                                                       \
		struct scp_header *count_header =                                                  \
			__atomic_load_n(&process.file, __ATOMIC_RELAXED)->header;                  \
		if (count_header)                                                                  \
			__atomic_add_fetch(&count_header->field, (by), __ATOMIC_RELAXED);          \
	} while (0)
#define process_loss(field, by) process_count(losses.field, by)

/* As unwind_object_find_object, without libc. An address that was not met before costs a look at
 * /proc/self/maps. Async-signal-safe; no lock is held while a caller runs. */
struct unwind_object;
HIDDEN bool object_index_find(uint64_t pc, struct unwind_object *object);
