// SPDX-License-Identifier: GPL-3.0-or-later
/* The directory of one run: where the processes of the command make their profile files while they
 * live. In memory (/dev/shm) where there is room: dirty pages of a disk's file system are
 * write-protected at every write-back, and the target would wait in a page fault. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

#define RUN_DIRECTORY_MEMORY "/dev/shm"
#define RUN_DIRECTORY_NAME   "scprof."	 /* its name begins so; on disk with a dot before it */
#define RUN_DIRECTORY_INNER  "profiles." /* likewise that of root's profiles in it */

struct run_directory {
	int lock;  /* its descriptor, locked while the run lives; -1: none */
	bool used; /* made by somebody else, who removes it */
	uint64_t begun_real_ns, begun_mono_ns; /* as a profile has them; 0: not known */
	char base[PATH_MAX - 128];
	char profiles[PATH_MAX - 64]; /* SCPROF_OUT of the command */
	char page[PATH_MAX - 32];     /* path of the page clock */
	char control[PATH_MAX - 32];  /* of the page that stops and starts recording */
	char causal[PATH_MAX - 32]; /* of the page of delays, which targets write: in `profiles` */
};

/* `beside`: an existing directory for where memory cannot be used. Names are
 * random and absolute. Private to the user; for root, whose programs may
 * become somebody else and then start others, everybody may create files in
 * `profiles`, but nobody else can list or guess the way to it. 0, or -1. */
int run_directory_create(struct run_directory *d, const char *beside, struct profile_error *err);

/* The same of a directory that exists, open at `directory` all the while, with one in it for
 * profiles: named by the descriptor, also for what is forked from this process. They are their
 * maker's to remove. 0, or -1. */
int run_directory_use(struct run_directory *d, int directory, const char *profiles,
		      struct profile_error *err);

/* Let only this user's processes make profiles in it; of root's folders. 0, or -1 with errno. */
int run_directory_give(const struct run_directory *d, uid_t uid, gid_t gid);

/* The instants now, by the clocks that profiles have their start of. */
void run_directory_now(uint64_t *real_ns, uint64_t *mono_ns);

/* The run is over, and what is left in it is kept on purpose. */
void run_directory_release(struct run_directory *d);

/* Release it, and remove it if nothing but begun profiles is left in it. 0, or -1: it is kept. */
int run_directory_remove(struct run_directory *d);

/* Remove it with all in it: no recording began, and what processes made there holds nothing. */
void run_directory_discard(struct run_directory *d);
