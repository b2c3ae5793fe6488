// SPDX-License-Identifier: GPL-3.0-or-later
/* Idle phase, run, idle phase, run, idle phase: the two idle phases around a run are its baseline.
 */
#include "cli/displace/displace_command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/messages/progress.h"
#include "cli/usage/output.h"
#include "collector/launch/launch.h"

struct measuring {
	const struct displace_wishes *o;
	const struct program *program;
	struct displacement *d;
	struct progress progress;
};

static int exec_failed_with(const struct program *program, int error)
{
	if (!*program->notice)
		displace_complain("cannot execute %.300s: %s", program->path, strerror(error));
	else
		displace_complain("cannot execute %.300s: %s", program->path, program->notice);
	return error == ENOENT ? DISPLACE_NOT_FOUND : DISPLACE_NOT_EXECUTABLE;
}

static int start(struct measuring *g, struct launch *l)
{
	const struct launch_hold hold = {displacement_run_born, g->d};
	bool exec_failed;

	if (!launch_start_held(l, g->program->path, g->o->command, g->program->shell_fallback, 0,
			       &exec_failed, &hold))
		return 0;
	if (exec_failed)
		return exec_failed_with(g->program, errno);
	displace_complain("cannot start a process: %s", strerror(errno));
	return DISPLACE_FAILED;
}

static int complain(const struct profile_error *err)
{
	displace_complain("%s", err->text);
	return DISPLACE_FAILED;
}

/* Only at the beginning of a run: drawing while the program runs would disturb it. */
static void say_run(struct measuring *g, size_t done)
{
	progress_show_now(&g->progress, (double)done / g->o->replications, "run %zu of %u",
			  done + 1, g->o->replications);
}

/* Makes one run and the idle phase after it. */
static int one_run(struct measuring *g, struct displace_measured *m)
{
	const struct launch_watch watch = {DISPLACEMENT_TICK_MS, displacement_run_tick,
					   displacement_run_ended, g->d};
	struct profile_error err;
	struct rusage usage;
	struct launch l;
	int failed, status;

	displacement_task_clock(g->d, !g->o->no_task_clock && !m->runs);
	if (displacement_run_begin(g->d, &err))
		return complain(&err);
	say_run(g, m->runs);
	failed = start(g, &l);
	if (failed)
		return failed;
	status = launch_exit_status(launch_wait_watched(&l, &watch, &usage));
	m->status = m->status ? m->status : status;
	m->stopped_by = l.ended_by;
	launch_close(&l);
	progress_clear(&g->progress);
	if (displacement_run_end(g->d, &usage, &err))
		return complain(&err);
	/* the user does not want to wait: print what there is */
	if (!m->stopped_by)
		m->stopped_by = displacement_idle_phase(g->d, g->o->rest_s);
	if (displacement_account_finish(g->d, &m->run[m->runs], &err))
		return complain(&err);
	m->run[m->runs++].interrupted = l.ended_by != 0;
	return 0;
}

static int measure(struct measuring *g, struct displace_measured *m)
{
	int failed = 0;

	say_run(g, 0);
	m->stopped_by = displacement_idle_phase(g->d, g->o->rest_s);
	while (!failed && !m->stopped_by && m->runs < g->o->replications)
		failed = one_run(g, m);
	progress_clear(&g->progress);
	m->switching = displacement_run_switching(g->d);
	return m->runs ? 0 : failed;
}

static void say_how_long(const struct displace_wishes *o)
{
	double takes = fmin(DISPLACEMENT_OPEN_S, o->rest_s / 2) + (o->replications + 1) * o->rest_s;

	if (!o->quiet)
		displace_complain("%u run%s of the command, and %.3g s besides (idle phases, which "
				  "--rest sets; longer on a busy machine)",
				  o->replications, o->replications == 1 ? "" : "s", takes);
}

int displace_measure(const struct displace_wishes *o, const struct program *program,
		     struct displace_measured *m)
{
	struct displacement_options options = {
		.cpus = o->cpus, .rest_s = o->rest_s, .any_quota = o->any_quota};
	struct measuring g = {.o = o, .program = program};
	struct profile_error err;
	int failed;

	*m = (struct displace_measured){.run = calloc(o->replications, sizeof(*m->run))};
	if (!m->run) {
		displace_complain("no memory for %u runs", o->replications);
		return DISPLACE_FAILED;
	}
	progress_begin(&g.progress, "scprof displace", !o->quiet);
	g.d = displacement_open(&options, &err);
	if (!g.d)
		return complain(&err);
	say_how_long(o);
	failed = measure(&g, m);
	displacement_close(g.d);
	return failed;
}

void displace_measured_free(struct displace_measured *m)
{
	for (size_t i = 0; i < m->runs; i++)
		displacement_account_free(&m->run[i]);
	free(m->run);
	m->run = NULL;
}

int displace_divert_output(const struct displace_wishes *o, int *kept)
{
	*kept = -1;
	if (!o->json || o->output)
		return 0;
	*kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (*kept >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return 0;
	displace_complain("cannot keep the command's output apart: %s", strerror(errno));
	return -1;
}

void displace_restore_output(int kept)
{
	if (kept < 0)
		return;
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

int displace_report(const struct displace_wishes *o, const struct displacement_summary *s,
		    const struct displacement_confirm *confirm)
{
	struct output out = {.stream = stderr};
	bool file = o->output || o->json;
	int failed = file && output_open(&out, o->output);

	if (!failed) {
		failed = o->json ? displace_json_print(out.stream, o, s, confirm)
				 : displace_text_print(out.stream, o, s, confirm);
		failed = (file ? output_close(&out, !failed) : fflush(stderr)) || failed;
	}
	if (failed)
		displace_complain("cannot write the report%s%s: %s; name another place with -o",
				  o->output ? " to " : "", o->output ? o->output : "",
				  strerror(errno));
	return failed ? -1 : 0;
}
