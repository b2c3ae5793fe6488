// SPDX-License-Identifier: GPL-3.0-or-later
/* One recording: of a command that `scprof run` starts, or of processes that `scprof attach` goes
 * to. What the tool keeps for it while they run, the variables that tell libscprof.so what to do,
 * and the profile that comes of it. */
#ifndef SCPROF_CLI_RUN_RECORDING_H
#define SCPROF_CLI_RUN_RECORDING_H

#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "cli/run/run_watch.h"
#include "collector/clocks/ticker.h"
#include "collector/launch/environment.h"
#include "collector/launch/gather.h"
#include "collector/launch/program.h"
#include "collector/launch/run_directory.h"
#include "collector/select/selection.h"

/* Actions of another command on a run, or on processes that it attaches to, instead of a profile
 * and its report. */
struct run_observer {
	void *context;
	/* The directory exists, nothing has been started: makes its files there, and adds to the
	 * environment or order. 0, or -1 having said why not. */
	int (*prepare)(void *context, const struct run_directory *d, struct environment *e);
	/* The processes run; `profiles` is the directory of their files. */
	void (*started)(void *context, const char *profiles);
	/* About every 20 ms until they end. `pid`: the command, or 0. `stopped`: the user wants an
	 * end. True: leave the processes that were attached to. */
	bool (*look)(void *context, pid_t pid, bool stopped);
	/* They have ended, or were left. Called also where nothing was started. */
	void (*ended)(void *context);
	/* Instead of saving: what was recorded is still in d->profiles, and is to be discarded. 0,
	 * or -1 having said what failed. */
	int (*finish)(void *context, struct run_directory *d, const struct gathered *g);
	/* The exit status instead of the command's. NULL: as it is. */
	int (*status)(void *context, int status);
};

#define RUN_OBSERVER_LOOK_MS 20

struct recording {
	const char *command; /* "scprof run" */
	struct run_options options;
	const struct run_observer *observer; /* NULL: the command itself */
	struct run_output output;
	char library[PATH_MAX];	 /* libscprof.so */
	char stubs[PATH_MAX];	 /* the object of -s; "": none */
	struct selection chosen; /* -s */
	struct symbol_patterns patterns;
	struct environment environment;	   /* set by recording_prepare */
	struct recording_control *control; /* NULL: recording goes on all the time */
	struct run_watch *watch;	   /* NULL: nothing to watch for */
	bool discards;			   /* nobody wants the profile */
	struct ticker *ticker;		   /* NULL: the clock needs none, or it was stopped */
	struct ticker_stats ticks;
	struct ticker_cost tick_cost;
	uint64_t tick_asked_ns; /* the tick that was asked for, where a longer one is used; 0: none
				 */
};

/* Does it need the stubs of -s, or of a group of libraries? */
bool recording_wants_stubs(const struct recording *r);

/* Begins what serves the processes, with files in `d`: the page clock, and the page that stops and
 * starts recording. `before`: as in struct environment. Fills r->environment. recording_clean_up
 * either way. 0, or -1 having said why.
 */
int recording_prepare(struct recording *r, const struct run_directory *d, const char *before);

/* The processes run: times count from now. */
void recording_begin(struct recording *r);

/* Shows progress, unless `quiet`, and ends recording where --until is reached. */
void recording_watch(struct recording *r, const struct run_directory *d, bool quiet);

/* The processes have ended, or were left: ends what serves them, and removes its files. */
void recording_clean_up(struct recording *r);

/* Reads the profiles of the processes. `command`: NULL, or the one that was started. 0, 1: there is
 * none, which is not said yet; -1 having said why. gather_free in any case. */
int recording_gather(struct run_directory *d, const struct launch *command, struct gathered *g);

/* Completes what was gathered, writes the profile, prints the report, and removes the single files
 * once their content is safe elsewhere. 0, or -1 having said what failed and where the files are
 * kept. */
int recording_save(struct recording *r, struct run_directory *d, const struct gathered *g);

void recording_free(struct recording *r);

/* Runs o->command as `scprof run` does. Its exit status. */
int cmd_run_for(const struct run_options *o, const struct run_observer *observer);

#endif
