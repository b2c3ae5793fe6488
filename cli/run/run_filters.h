// SPDX-License-Identifier: GPL-3.0-or-later
/* The filters and triggers of `scprof run`: what to leave out, and when to record. */
#ifndef SCPROF_CLI_RUN_RUN_FILTERS_H
#define SCPROF_CLI_RUN_RUN_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "collector/launch/run_directory.h"
#include "collector/launch/recording_control.h"

/* Texts: of options, else of the environment; NULL: no such filter. */
struct run_filters {
	char *below, *threads; /* owned: options that may be given again are joined by commas */
	const char *depth, *after, *length, *signal;
	const char *python, *native; /* as the variables; NULL: what they are */
	bool stopped;
	bool attached; /* of a process that runs: recording always can be stopped */
	pid_t process; /* that one, and */
	uid_t uid;     /* its user, and */
	gid_t gid;
	const char *root;	    /* what leads to its files: "", or "/proc/PID/root" */
	bool until;		    /* the tool stops recording by itself: set by the caller */
	struct recording_plan plan; /* set by run_options_settle */
};

/* One more pattern of a list that may be given again. 0, or -1 having said why. */
int run_filters_join(char **list, const char *value);

/* Writes the addresses of the functions of --below in `program` to d->below, and creates the page
 * that starts and stops recording; *w: NULL where none is needed. *e gets the environment of the
 * command; its texts belong to `f` and `d`. 0, or -1 having said why. */
int run_filters_prepare(const struct run_filters *f, const struct program *program,
			const struct run_directory *d, struct recording_control **w,
			struct environment_filters *e);

/* The run is over: removes the page, if there is one. */
void run_filters_end(struct recording_control **w);

void run_filters_free(struct run_filters *f);

#endif
