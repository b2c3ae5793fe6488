// SPDX-License-Identifier: GPL-3.0-or-later
/* The processes of one `scprof attach`: which they are, going to them, and leaving them. What fails
 * is said; what can be done for the others is done. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/attach/attach_options.h"
#include "collector/attach/attach.h"
#include "collector/attach/refusal/refusal.h"
#include "collector/attach/target/wake.h"
#include "profile/profile.h"
#include "collector/attach/copy_in.h"
#include "collector/launch/run_directory.h"

struct attach_one {
	struct refusal_facts facts;
	bool woken;	   /* by its page, not by ptrace */
	size_t page;	   /* the first one of those that share it */
	char folder[1024]; /* of a page that was given, as its processes see it */
	struct wake wake;  /* held while it records; fd -1: by another one's, or not */
	bool begun;
	bool forked; /* from one that was recorded */
	bool left;   /* all is put back, or the process is gone */
	bool gone;   /* it ended, or executes another program */
	struct attach_result begin, end;
};

struct attach_targets {
	struct attach_one *one;
	size_t count;
	size_t asked;  /* by their numbers on the command line; they come first */
	size_t failed; /* that could not be gone to */
};

/* All that is asked for, and their children that run the same program where that is asked for.
 * `stubs`: functions of -s are to be brought. 0, or -1 having said why one is refused: nothing has
 * been touched. attach_targets_free either way. */
int attach_targets_find(struct attach_targets *t, const struct attach_options *o,
			const char *library, bool stubs);

/* Say that a wait's time limit began anew, if one did. */
void attach_targets_tell_anew(pid_t pid, const struct attach_result *r);

/* Is it still the process that it was? */
bool attach_targets_lives(const struct attach_target *t);

/* True if it is a child that has ended since it was found; that is no error. */
bool attach_targets_child_ended(const struct attach_targets *t, size_t i);

/* Returns how many processes could be started. `library`: path as the processes see it. */
size_t attach_targets_begin(struct attach_targets *t, const char *library, char **order);

/* Returns how many processes still run the same program. */
size_t attach_targets_alive(struct attach_targets *t);

/* Leave all, and those that they forked meanwhile, which map `control`. How many could not be put
 * right. */
size_t attach_targets_end(struct attach_targets *t, const char *control);

/* Notes for each process, in its profile, what was done to it. */
void attach_targets_note(const struct attach_targets *t, struct profile *p);

/* Does no tool that lives record the process? One that was killed stops recording by its page: the
 * kernel says there that it died. 0; or -1, having said it as `command`'s. control "": the process
 * maps no such page. */
int attach_targets_check_tool(const char *command, pid_t pid, char control[PATH_MAX]);

void attach_targets_free(struct attach_targets *t);

/* Those that are dormant: they are woken by their page, begin and end at their next call. */

/* Those of the page in that file: one target of number 0, of which nothing is known but what the
 * page says. -1 having said why not. */
int attach_woken_take_page(struct attach_one *one, const char *file);

/* Which of them share a page. */
void attach_woken_find_pages(struct attach_targets *t);

/* All that share the page of `one`, by one order. The page stays open: that says that we live. */
void attach_woken_begin(struct attach_targets *t, struct attach_one *one, char **order);

/* The same: told to stop, where `one` is the one that holds the page. */
void attach_woken_end(struct attach_targets *t, struct attach_one *one);

/* Until they have ended their profiles, a second at most: one that waits in a call does so with the
 * next, and its profile is complete but for that. */
void attach_woken_await(const struct attach_targets *t, const char *profiles);

/* Reports how many processes have made a profile, unless all have. */
void attach_woken_say_silent(const struct attach_targets *t, const char *profiles);

/* A process beside `scprof attach` that does nothing until that is killed: then it becomes `scprof
 * detach` of the processes that are recorded. */

struct attach_guard {
	int fd; /* -1: there is none, and a killed scprof has to be put right by hand */
	pid_t pid;
};

/* Before any thread. */
void attach_guard_begin(struct attach_guard *g, const struct attach_targets *t);

/* All are as they were, or it was said why not. */
void attach_guard_end(struct attach_guard *g);

/* Where the processes of one `scprof attach` make their profiles: in a run's directory of ours; or,
 * where they see other files than we do, in one below their root directory: --copy-to, or the
 * folder of the page that wakes them. */

struct attach_place {
	struct run_directory directory; /* as we see it */
	struct copy_in copy;
	bool there;		/* below the processes' root */
	char library[PATH_MAX]; /* as the processes see it */
};

/* `copy_to`: of --copy-to, or NULL. `library`: libscprof.so as we see it. `beside`: see
 * run_directory_create. 0, or -1 having said why, and nothing is left of it. */
int attach_place_make(struct attach_place *p, const struct attach_targets *t, const char *copy_to,
		      const char *library, const char *beside);

/* What the processes call our `path` in it. */
const char *attach_place_name(const struct attach_place *p, const char *path, char name[PATH_MAX]);

/* The run is over. What is left in it was kept on purpose, which is said where it is there. */
void attach_place_leave(struct attach_place *p);
