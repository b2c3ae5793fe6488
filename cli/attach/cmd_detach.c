// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof detach`: puts right what a scprof that was killed left in processes. */
#include <stdio.h>
#include <unistd.h>

#include "cli/attach/attach_targets.h"
#include "cli/cmd.h"
#include "collector/attach/target/relatives.h"
#include "collector/launch/launch.h"
#include "profile/base/error.h"
#include "profile/live/run_files.h"

#define COMMAND "scprof detach"

static const struct usage_entry usage_operands[] = {
	{.name = "PID", .text = "that an scprof attach was killed in, or could not leave"},
	{.name = "FILE.wake", .text = "by which it recorded"},
	{0}};

static const struct usage_entry usage_options[] = {USAGE_ENTRY_HELP, {0}};

const struct usage cmd_detach_usage = {
	.command = COMMAND,
	.summary = "put right what a killed scprof attach left in a process",
	.synopsis = {"PID...", "FILE.wake..."},
	.text = "Stop recording in processes, and in those that they forked meanwhile, and put "
		"back all that scprof attach changed in them. scprof attach does so itself, and "
		"what it leaves behind where it is killed: this is for where that was killed, "
		"too. Where there is nothing to do it says so.",
	.words = "PID",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0 put right, or nothing was to be done; 125 it could not be done; 2 wrong "
		       "usage",
	USAGE_ENDS(2, 125),
};

/* 1: there was nothing to do. */
static int leave_page(const char *page, struct profile_error *err)
{
	struct wake_state s = {0};
	struct wake w;
	int result = 1;

	if (wake_open(&w, page, err))
		return -1;
	if (wake_read(&w, &s) && s.ordered && s.held) {
		result = error_fail(err, page,
				    "another scprof records here: end that one, by Ctrl-C");
	} else if (s.ordered) {
		result = wake_end(&w, err);
	}
	wake_close(&w);
	return result;
}

static void tell(pid_t pid, const struct scp_attach_slots *s)
{
	char changed[96] = "", failed[96] = "";

	if (s->changed || s->gone)
		snprintf(changed, sizeof(changed),
			 "; %u were changed by others since and are left, %u are gone", s->changed,
			 s->gone);
	if (s->failed)
		snprintf(failed, sizeof(failed),
			 "; %u could not be written, and lead to what passes calls on", s->failed);
	printf("process %d: recording is stopped, and %u of %u slots are as they were%s%s\n",
	       (int)pid, s->put_back, s->written, changed, failed);
}

/* 0 put right, 1 nothing was to be done, -1 having said why not. A child may end meanwhile. */
static int detach_one(pid_t pid, bool child)
{
	struct attach_target target = {.pid = pid};
	char page[PATH_MAX];
	struct attach_result r = {0};
	struct profile_error err;
	bool was = false;
	int result;

	target.process_start = run_files_process_start(pid, NULL);
	if (child && !attach_targets_lives(&target))
		return 1;
	if (!target.process_start)
		return complaint_say(COMMAND, "there is no process %d", (int)pid);
	if (wake_find(pid, page, sizeof(page))) {
		result = leave_page(page, &err);
		if (!result)
			printf("process %d: it is told to stop, and does at its next call\n",
			       (int)pid);
	} else {
		result = attach_end(&target, &r, &was, &err) ? -1 : !was;
		if (!result)
			tell(pid, &r.slots);
		attach_targets_tell_anew(pid, &r);
	}
	if (result < 0 && !attach_targets_lives(&target))
		return child ? 1 : complaint_say(COMMAND, "process %d has ended", (int)pid);
	if (result < 0)
		complaint_lines(COMMAND, err.text);
	return result;
}

static int detach_page(const char *page)
{
	struct profile_error err;
	int result = leave_page(page, &err);

	if (result < 0)
		complaint_lines(COMMAND, err.text);
	else
		printf("%s: %s\n", page,
		       result ? "nothing to put right"
			      : "its processes are told to stop, and do at their next call");
	return result < 0 ? -1 : 0;
}

/* And those that it forked: they map the same page. */
static int detach(pid_t pid)
{
	static pid_t pids[RELATIVES_MOST];
	char control[PATH_MAX];
	size_t count = 0;
	int result, failed = 0;

	if (attach_targets_check_tool(COMMAND, pid, control) < 0)
		return -1;
	if (*control)
		count = relatives_mapping(control, pids, RELATIVES_MOST);
	result = detach_one(pid, false);
	for (size_t i = 0; i < count; i++)
		if (pids[i] != pid)
			failed |= detach_one(pids[i], true) < 0;
	if (result == 1)
		printf("process %d: nothing to put right\n", (int)pid);
	return result < 0 || failed ? -1 : 0;
}

int cmd_detach(int argc, char **argv)
{
	struct signal_wait signals;
	int status = options_parse(&cmd_detach_usage, argc, argv, NULL, NULL);

	if (status != OPTIONS_GO)
		return status;
	if (optind == argc)
		return options_refuse(&cmd_detach_usage,
				      "which process? usage: scprof detach PID...");
	for (int i = optind; i < argc; i++)
		if (!attach_options_is_page(argv[i]) && !attach_options_pid(COMMAND, argv[i]))
			return cmd_detach_usage.bad_usage;
	signal_wait_begin(&signals); /* no half work */
	status = 0;
	for (int i = optind; i < argc; i++)
		if (attach_options_is_page(argv[i]) ? detach_page(argv[i])
						    : detach(attach_options_pid(COMMAND, argv[i])))
			status = FAILED;
	return status;
}
