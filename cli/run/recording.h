// SPDX-License-Identifier: GPL-3.0-or-later
/* One recording: of a command that `scprof run` starts, or of processes that `scprof attach` goes
 * to. What the tool keeps for it while they run, the variables that tell libscprof.so what to do,
 * and the profile that comes of it. */
#pragma once

#include <limits.h>
#include <sys/resource.h>
#include <termios.h>

#include "cli/run/run_options.h"
#include "collector/clocks/ticker.h"
#include "collector/launch/environment.h"
#include "collector/launch/gather.h"
#include "collector/launch/program.h"
#include "collector/launch/run_directory.h"
#include "collector/sample/sampler.h"
#include "collector/select/selection.h"
#include "profile/profile.h"
#include "collector/displacement/displacement.h"
#include "collector/displacement/displacement_summary.h"
#include "collector/launch/launch.h"
#include "collector/displacement/sites/site_costs_run.h"
#include "collector/displacement/sites/site_dither.h"
#include "collector/displacement/sites/site_samples.h"

/* Watches the measurement while the command of `scprof run` runs: shows its progress on a terminal,
 * and with --until stops it when the means are precise enough. */

struct run_watch;
struct recording;

/* `directory`: of the profiles; `quiet`: nothing on the terminal. Returns NULL where there is
 * nothing to do, or no thread for it, which was said. */
struct run_watch *run_watch_begin(const struct recording *r, const char *directory, bool quiet);

/* The command has ended: end the thread. Before recording_control_stop. */
void run_watch_end(struct run_watch *w);

/* After that: says whether --until was reached, and notes it in the profile. */
void run_watch_tell(const struct run_watch *w, struct profile *p);
void run_watch_free(struct run_watch *w);

/* Destinations of the profile and the report of a run. */

struct run_output {
	char directory[PATH_MAX - 300]; /* absolute, exists, may be written */
	char path[PATH_MAX];		/* "": the default name in it */
	char report[PATH_MAX]; /* "page.html": the report goes there, the profile beside it; "" */
};

/* Before the run, so that a mistyped -o costs no hours. `wanted`: -o or NULL; in a directory, and
 * where it is named as a report, the profile gets the default name. 0, or -1, having said why. */
int run_output_check(const char *wanted, struct run_output *o);

/* After the start: sets o->path. A default name never replaces a file. */
void run_output_name(struct run_output *o, const char *command, pid_t pid);

/* To the file that -o names, in the format that it is named for, and as text on standard error (of
 * a process that ran: on standard output); without such a file as --format says, on standard error.
 * `saved`: what to read again; NULL: nothing. What fails is said; the profile does not need it. */
void run_output_report(const struct run_output *to, const struct run_options *o, const char *saved,
		       const struct profile *p);

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
	/* Instead of saving: what was recorded is in g->profile, with samples, and still in
	 * d->profiles, and is to be discarded. 0, or -1 having said what failed. */
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
	struct environment environment;	     /* set by recording_prepare */
	struct recording_control *control;   /* NULL: recording goes on all the time */
	struct run_watch *watch;	     /* NULL: nothing to watch for */
	struct scp_control_changes *changes; /* NULL: the program does not begin by itself */
	bool discards;			     /* nobody wants the profile */
	struct sampler *sampler;	     /* NULL: there are no samples */
	char unsampled[256];		     /* why not; "" */
	uint64_t cpu_ns, user_ns; /* that the kernel charged to the command; 0: not known */
	struct ticker *ticker;	  /* NULL: the clock needs none, or it was stopped */
	struct ticker_stats ticks;
	struct ticker_cost tick_cost;
	uint64_t tick_asked_ns; /* the tick asked for, where a longer one is used; 0: none */
};

/* Does it need the stubs of -s, or of a group of libraries? */
bool recording_wants_stubs(const struct recording *r);

/* The tick of the page clock: the one asked for, or where that would cost too much a longer one,
 * with a word where it was asked for. 0: the clock has none. *cost: of one; may be NULL. */
uint64_t recording_tick(const struct run_options *o, struct ticker_cost *cost);

/* Begins what serves the processes, with files in `d`: the page clock, and the page that stops and
 * starts recording. `before`: as in struct environment. Fills r->environment. recording_clean_up
 * either way. 0, or -1 having said why. */
int recording_prepare(struct recording *r, const struct run_directory *d, const char *before);

/* The processes run: times count from now. */
void recording_begin(struct recording *r);

/* Samples what processes, and what they fork, compute while recording is on; one that `begins` from
 * its exec on. None where the program starts recording itself: nobody else knows when. */
void recording_sample(struct recording *r, const pid_t *pid, size_t count, bool begins);

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

/* -s of `scprof run`: from patterns to the stub object, before the command starts. */

/* Of `program`, or of what the process has mapped that r->options.filters names: those files are
 * opened with the rights of its user. Sets r->chosen. 0, or -1 having said why. */
int run_symbols_resolve(struct recording *r, const char *program);

/* Writes the stub object, if any is chosen, to a file system that allows mapping of code, by a path
 * that LD_PRELOAD can name: r->stubs, in `directory`, or else `beside`, $TMPDIR, /tmp, /var/tmp. 0,
 * or -1 having said why. */
int run_symbols_write(struct recording *r, const char *directory, const char *beside);

/* Explains the problem in one to three lines. */
void run_symbols_complain(const struct selection *chosen, const struct profile_error *err);

/* `scprof run --displace`: the account of the CPUs' time, in addition to the profile. */

struct run_displace {
	struct displacement *d; /* NULL: not asked for, or the run is over */
	cpu_set_t cpus;
	struct rusage usage;
	bool settled, has_sites;
	struct site_costs_result sites;	     /* if has_sites */
	struct displacement_run run;	     /* if settled */
	struct displacement_summary account; /* of `run`; if settled */
	struct site_samples *samples;	     /* NULL: nothing is recorded */
	struct site_dither *dither;	     /* NULL: none */
	const struct launch *launch;	     /* while it is waited for */
};

/* --dither, before run_displace_open and the environment is set: makes the page of delays. 0, or
 * -1, having said why. */
int run_displace_dither(struct run_displace *r, const char *page, double share);

/* Starts the fluid and measures the idle phase. `profiles`: the directory of the run; NULL: nothing
 * is recorded. 0, or an exit status, having said why. */
int run_displace_open(struct run_displace *r, const char *profiles);

/* For launch_wait_watched; plain waiting without a fluid. */
int run_displace_wait(struct run_displace *r, struct launch *l);

/* The idle phase after the run, and the end of the fluid. `interrupted`: by the user, who does not
 * want to wait for an idle phase. Does nothing without a fluid. */
void run_displace_settle(struct run_displace *r, bool interrupted);

/* After that: puts the cost of a call at each site and the account into the profile that was
 * gathered from `profiles`. */
void run_displace_sites(struct run_displace *r, const char *profiles, struct profile *p);

/* After that: prints the account on standard error and frees everything. */
void run_displace_finish(struct run_displace *r, char **command);

/* Frees everything where the command could not be started. */
void run_displace_abandon(struct run_displace *r);

/* `scprof run --live`: `scprof top` on the terminal while the command runs. What the command writes
 * to the terminal goes to a file; what is redirected already stays so. The screen is a process of
 * its own: whatever happens to it, command and profile go on, and the terminal is restored. */

struct run_live {
	bool wished;
	int terminal; /* /dev/tty; -1: none */
	int kept[3];  /* our standard descriptors while the command's are in place; -1: as is */
	int end;      /* of a pipe: closed when the run has ended; -1: none */
	pid_t pid;    /* of the screen process; 0: none */
	char log[PATH_MAX];	 /* of the command's output; "": it has none on the terminal */
	int log_fd;		 /* that file; -1: none */
	struct termios settings; /* of the terminal, before the screen process */
	bool has_settings;
};

/* Before the command starts: a terminal and a log. `directory`, `command`: for the log's name.
 * 0, or -1 having said why. */
int run_live_open(struct run_live *l, const char *directory, const char *command);

/* Around the start of the command: it inherits the log in place of the terminal. */
void run_live_lend(struct run_live *l);
void run_live_take_back(struct run_live *l);

/* Starts the screen process. From here on our own messages go to the log, too, until the user quits
 * it. It then says what goes on: `command`, which is process `pid`, and what comes at its end. */
void run_live_begin(struct run_live *l, const char *profiles, const char *command, pid_t pid,
		    bool reports);

/* Like say(), but on the terminal if the user has quit the screen. */
int run_live_say(const char *text);

/* The run has ended: the screen says so, and stays until the user quits. Then the terminal is
 * restored. May be called whatever happened before. */
void run_live_end(struct run_live *l);
