// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace`: what a command's CPU time is when interrupts count, too. */
#include "cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/displace/displace_measure.h"
#include "cli/displace/displace_print.h"
#include "collector/launch/signal_wait.h"
#include "collector/launch/launch.h"
#include "cli/messages/progress.h"
#include "cli/usage/output.h"

/* With --json standard output has the JSON object alone: what the command prints goes to standard
 * error. `kept` gets a copy of the descriptor, for restore_output; -1: nothing was diverted. */
static int divert_output(const struct displace_wishes *o, int *kept)
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

static void restore_output(int kept)
{
	if (kept < 0)
		return;
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

/* Opens the report; close_report ends it. */
static int open_report(const struct displace_wishes *o, struct output *out)
{
	*out = (struct output){.stream = stderr};
	return (o->output || o->json) && output_open(out, o->output) ? -1 : 0;
}

static int close_report(const struct displace_wishes *o, struct output *out, int failed)
{
	if (!o->output && !o->json)
		failed = fflush(stderr) || failed;
	else
		failed = output_close(out, !failed) || failed;
	return failed ? -1 : 0;
}

static int cannot_write(const struct displace_wishes *o)
{
	displace_complain("cannot write the report%s%s: %s; name another place with -o",
			  o->output ? " to " : "", o->output ? o->output : "", strerror(errno));
	return -1;
}

static int print_to(FILE *out, const struct displace_wishes *o, const struct displace_summary *s,
		    const struct displace_confirm *confirm)
{
	return o->json ? displace_print_json(out, o, s, confirm)
		       : displace_print_text(out, o, s, confirm);
}

static int print(const struct displace_wishes *o, const struct displace_summary *s,
		 const struct displace_confirm *confirm)
{
	struct output out;

	if (open_report(o, &out) || close_report(o, &out, print_to(out.stream, o, s, confirm)))
		return cannot_write(o);
	return 0;
}

/* The command again, without the fluid. */
static int confirm_once(const struct displace_wishes *o, const struct program *program,
			struct displace_confirm *c)
{
	const struct launch_hold hold = {displace_confirm_born, c};
	const struct launch_watch watch = {1000, NULL, displace_confirm_ended, c};
	struct rusage usage;
	struct launch l;
	bool exec_failed;

	displace_confirm_run(c);
	if (launch_start_held(&l, program->path, o->command, program->shell_fallback, 0,
			      &exec_failed, &hold))
		return -1;
	launch_wait_watched(&l, &watch, &usage);
	launch_close(&l);
	if (l.ended_by)
		return -1;
	displace_confirm_add(c, &usage);
	return 0;
}

static int report(const struct displace_wishes *o, const struct program *program,
		  struct displace_measured *m)
{
	struct displace_confirm confirm;
	struct displace_summary s;
	bool confirmed = o->confirm && !m->stopped_by && !m->status;
	int failed, kept;

	if (displace_summary_make(&s, m->run, m->runs, o->confidence, m->switching) ||
	    (confirmed && displace_confirm_begin(&confirm, &o->cpus, m->runs, !o->no_task_clock))) {
		displace_complain("no memory for the results");
		return -1;
	}
	if (confirmed && !divert_output(o, &kept)) {
		for (size_t i = 0; i < m->runs && !confirm_once(o, program, &confirm); i++)
			continue;
		restore_output(kept);
	}
	failed = print(o, &s, confirmed ? &confirm : NULL);
	if (confirmed)
		displace_confirm_free(&confirm);
	displace_summary_free(&s);
	return failed;
}

static int measure(const struct displace_wishes *o, const struct program *program)
{
	struct displace_measured m;
	int status, kept;

	if (divert_output(o, &kept))
		return DISPLACE_FAILED;
	status = displace_measure(o, program, &m);
	restore_output(kept);
	if (!status && !m.runs) {
		displace_complain("stopped before the command was started");
		displace_measured_free(&m);
		signal_wait_raise(m.stopped_by);
		return DISPLACE_FAILED;
	}
	if (!status && m.runs < o->replications)
		displace_complain("%zu of %u runs were made", m.runs, o->replications);
	if (!status)
		status = report(o, program, &m) && !m.status ? DISPLACE_FAILED : m.status;
	/* a signal between two runs ended no command */
	if (!status && m.stopped_by)
		status = 128 + m.stopped_by;
	displace_measured_free(&m);
	return status;
}

static int print_wall(const struct displace_wishes *o, const struct wall_method_result *r)
{
	struct output out;

	if (open_report(o, &out) ||
	    close_report(o, &out,
			 o->json ? displace_print_wall_json(out.stream, o, r)
				 : displace_print_wall_text(out.stream, o, r)))
		return cannot_write(o);
	return 0;
}

struct wall_progress {
	struct progress line;
	size_t all;
};

static void say_progress(void *context, size_t done)
{
	struct wall_progress *p = context;

	progress_show_now(&p->line, (double)done / (double)p->all, "run %zu of %zu", done + 1,
			  p->all);
}

/* The method as published in 1997. */
static int measure_wall(const struct displace_wishes *o, const struct program *program)
{
	struct wall_progress progress = {.all = o->replications};
	const struct wall_method_options options = {
		.cpus = o->cpus,
		.replications = o->replications,
		.loops = o->loops ? (double)o->loops : 1,
		.confidence = o->confidence,
		.path = program->path,
		.argv = o->command,
		.shell_fallback = program->shell_fallback,
		.longest_s = o->longest_s,
		.progress = say_progress,
		.context = &progress,
	};
	struct profile_error err;
	struct wall_method_result r;
	int status = DISPLACE_FAILED, stopped, kept;
	enum wall_method_end end;

	if (divert_output(o, &kept))
		return DISPLACE_FAILED;
	progress_begin(&progress.line, "scprof displace", !o->quiet);
	end = wall_method_measure(&options, &r, &err);
	progress_clear(&progress.line);
	restore_output(kept);
	switch (end) {
	case WALL_METHOD_DONE:
		status = print_wall(o, &r) && !r.status ? DISPLACE_FAILED : r.status;
		break;
	case WALL_METHOD_EXEC:
		status = displace_exec_failed(program, r.exec_errno);
		break;
	case WALL_METHOD_STOPPED:
		displace_complain("stopped before the first replication was complete");
		status = r.status;
		break;
	default:
		displace_complain("%s", err.text);
	}
	stopped = r.stopped_by;
	wall_method_free(&r);
	return !status && stopped ? 128 + stopped : status;
}

/* 0, or the exit status that a shell would return. */
static int cannot_start(const struct program *p)
{
	switch (p->kind) {
	case PROGRAM_MISSING:
	case PROGRAM_NO_LOADER:
		displace_complain("%s", p->notice);
		return DISPLACE_NOT_FOUND;
	case PROGRAM_DIRECTORY:
	case PROGRAM_NOT_EXECUTABLE:
		displace_complain("%s", p->notice);
		return DISPLACE_NOT_EXECUTABLE;
	default:
		return 0;
	}
}

int cmd_displace(int argc, char **argv)
{
	static struct displace_wishes o;
	static struct program program; /* paths: too large for the stack */
	int status = displace_options_parse(argc, argv, &o);

	if (status != OPTIONS_GO)
		return status;
	program_examine(o.command[0], &program);
	status = cannot_start(&program);
	if (status)
		return status;
	return o.wall ? measure_wall(&o, &program) : measure(&o, &program);
}
