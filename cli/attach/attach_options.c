// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/attach/attach_options.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "collector/attach/target/relatives.h"

static const struct usage_entry usage_operands[] = {
	{.name = "PID", .text = "of the process: all of its threads are recorded"},
	{.name = "FILE.wake",
	 .text = "that dormant processes made in their SCPROF_OUT: they need not be seen"},
	{0}};

static const struct usage_entry usage_options[] = {
	RUN_OPTION_OUTPUT,
	{"for", 0, "T", .text = "record for so long (default: until Ctrl-C)",
	 RUN_TEXT(filters.length, "FOR")},
	{"windows", 0, "N",
	 .text = "record N times, each for --for and with a profile of its own, and report all: "
		 "the intervals are then about the next time, too",
	 RUN_MEMBER(COUNT32, runs, .least = 1, .most = RUN_RUNS_MOST)},
	{"name", 0, "NAME",
	 .text = "all processes whose command or executable is called so: nginx. Those that cannot "
		 "be recorded are left out",
	 .flags = USAGE_TYPED_ONLY, RUN_MEMBER(TEXT, name)},
	{"children", 0, NULL,
	 .text = "and the process's children that run the same program, such as workers. Those "
		 "that it forks meanwhile are recorded anyway",
	 RUN_MEMBER(FLAG, children)},
	{"copy-to", 0, "DIR",
	 .text = "for a process in a container or another root directory: copy libscprof.so into "
		 "this directory of its file system. All is removed at the end",
	 RUN_MEMBER(TEXT, copy_to)},
	RUN_OPTIONS_RECORDING,
	{"after", 0, "T", .text = "begin so long after attaching: 5s, 500ms",
	 RUN_TEXT(filters.after, "AFTER")},
	REPORT_OPTIONS_ENTRIES,
	USAGE_ENTRY_HELP,
	{0}};

const struct usage attach_options_usage = {
	.command = "scprof attach",
	.summary = "record a process that runs, leave it as it was, print the report",
	.synopsis = {"[OPTION...] PID...", "[OPTION...] --name NAME", "[OPTION...] FILE.wake"},
	.text = "Record processes that run already. Then put back all that was changed in them, "
		"and print the report. The processes run on. Ctrl-C ends recording, not the "
		"process.",
	.words = "PID",
	.report_at = offsetof(struct run_options, shown),
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0 recorded, or nothing was called; 125 scprof failed, or could not go to "
		       "one of the processes",
	USAGE_ENDS(125, 125),
};

bool attach_options_is_page(const char *text)
{
	size_t n = strlen(text);

	return n > 5 && !strcmp(text + n - 5, ".wake");
}

static int take_page(struct attach_options *o)
{
	o->page = o->run.command[0];
	if (!o->run.command[1] && !o->run.name && !o->run.children && !o->run.copy_to)
		return OPTIONS_GO;
	return options_refuse(
		&attach_options_usage,
		"%.200s stands alone: all processes that made it are recorded, and their "
		"files lie beside it",
		o->page);
}

pid_t attach_options_pid(const char *command, const char *text)
{
	uint64_t pid;

	if (!quantity_count(text, 1, INT_MAX, &pid))
		return (pid_t)pid;
	bool named = isalpha((unsigned char)*text), attaches = !strcmp(command, "scprof attach");

	complaint_say(command, "'%.40s' is not the number of a process%s%.40s", text,
		      !named	 ? ""
		      : attaches ? "; by name: scprof attach --name "
				 : "; pgrep finds it: pgrep ",
		      named ? text : "");
	return 0;
}

static int take_pid(struct attach_options *o, pid_t pid)
{
	if (!pid)
		return -1;
	for (size_t i = 0; i < o->pids; i++)
		if (o->pid[i] == pid)
			return 0;
	if (o->pids == ATTACH_PIDS_MOST)
		return complaint_say("scprof attach",
				     "more than %d processes at a time: give some of their numbers",
				     ATTACH_PIDS_MOST);
	if (pid == getpid())
		return complaint_say("scprof attach", "process %d is this scprof", (int)pid);
	o->pid[o->pids++] = pid;
	return 0;
}

static int take_named(struct attach_options *o)
{
	static pid_t pids[RELATIVES_MOST];
	size_t before = o->pids, count = relatives_named(o->run.name, pids, RELATIVES_MOST);

	for (size_t i = 0; i < count; i++)
		if (take_pid(o, pids[i]))
			return -1;
	o->named = o->pids - before;
	if (count)
		return 0;
	return complaint_say("scprof attach", "--name %.40s: no process is called so", o->run.name);
}

int attach_options_parse(int argc, char **argv, struct attach_options *o)
{
	o->pids = o->named = 0;
	o->run.filters.attached = true;
	int status = run_options_parse(&attach_options_usage, argc, argv, &o->run);

	if (status != OPTIONS_GO)
		return status;
	o->page = NULL;
	if (*o->run.command && attach_options_is_page(*o->run.command))
		status = take_page(o);
	for (char **text = o->run.command; !o->page && *text; text++)
		if (take_pid(o, attach_options_pid("scprof attach", *text)))
			return attach_options_usage.bad_usage;
	if (status != OPTIONS_GO)
		return status;
	if (o->run.name && take_named(o))
		return attach_options_usage.failure;
	if (!o->run.disabled)
		return OPTIONS_GO;
	say("SCPROF_DISABLE is set: nothing is recorded");
	return attach_options_usage.failure;
}

int attach_options_become(const char *who)
{
	unsigned uid, gid;
	int end = 0;

	if (sscanf(who, "=%u:%u%n", &uid, &gid, &end) == 2 && !who[end] && !setgroups(0, NULL) &&
	    !setresgid(gid, gid, gid) && !setresuid(uid, uid, uid))
		return 0;
	return say_format("cannot take the rights of user %s: %s", who + 1, strerror(errno));
}
