// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace`: what a command's CPU time is when interrupts count, too. */
#include "cli/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/displace/displace_command.h"
#include "collector/launch/signal_wait.h"
#include "collector/launch/launch.h"

/* The command again, without the fluid. */
static int confirm_once(const struct displace_wishes *o, const struct program *program,
			struct displacement_confirm *c)
{
	const struct launch_hold hold = {displacement_confirm_born, c};
	const struct launch_watch watch = {1000, NULL, displacement_confirm_ended, c};
	struct rusage usage;
	struct launch l;
	bool exec_failed;

	displacement_confirm_run(c);
	if (launch_start_held(&l, program->path, o->command, program->shell_fallback, 0,
			      &exec_failed, &hold))
		return -1;
	launch_wait_watched(&l, &watch, &usage);
	launch_close(&l);
	if (l.ended_by)
		return -1;
	displacement_confirm_add(c, &usage);
	return 0;
}

static int report(const struct displace_wishes *o, const struct program *program,
		  struct displace_measured *m)
{
	struct displacement_confirm confirm;
	struct displacement_summary s;
	bool confirmed = o->confirm && !m->stopped_by && !m->status;
	int failed, kept;

	if (displacement_summary_make(&s, m->run, m->runs, o->confidence, m->switching) ||
	    (confirmed && displacement_confirm_begin(&confirm, &o->cpus, m->runs))) {
		displace_complain("no memory for the results");
		return -1;
	}
	if (confirmed && !displace_divert_output(o, &kept)) {
		for (size_t i = 0; i < m->runs && !confirm_once(o, program, &confirm); i++)
			continue;
		displace_restore_output(kept);
	}
	failed = displace_report(o, &s, confirmed ? &confirm : NULL);
	if (confirmed)
		displacement_confirm_free(&confirm);
	displacement_summary_free(&s);
	return failed;
}

static int measure(const struct displace_wishes *o, const struct program *program)
{
	struct displace_measured m;
	int status, kept;

	if (displace_divert_output(o, &kept))
		return DISPLACE_FAILED;
	status = displace_measure(o, program, &m);
	displace_restore_output(kept);
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
	return measure(&o, &program);
}
