// SPDX-License-Identifier: GPL-3.0-or-later
/* A signal overrules what the process wrote before: it can still be killed while it leaves. */
#include "report/model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "profile/base/kernel_file.h"

bool process_end_is_open(const struct prof_process *p)
{
	return !report_names_is_detached(p) && p->end_state == SCP_END_RUNNING &&
	       p->end.seen <= SCP_END_LIVED;
}

/* Its number may be another's by now, hence the look at what it executes. */
bool process_end_runs_now(const struct prof_process *p)
{
	char exe[PATH_MAX];

	if (!process_end_is_open(p) || p->count != 1)
		return false;
	if (kernel_file_link(exe, sizeof(exe), "/proc/%" PRIu32 "/exe", p->pid))
		return errno == EACCES || errno == EPERM; /* another user's */
	return !strcmp(exe, p->exe);
}

struct end {
	const char *name, *words;
};

static const struct end *end_of(const struct prof_process *p)
{
	static const struct end noted[] = {
		[SCP_END_RUNNING] = {"running-or-killed", "still running or killed"},
		[SCP_END_EXIT] = {"exit", "exited"},
		[SCP_END_EXEC] = {"exec", "replaced by another program"},
		[SCP_END_QUICK] = {"quick-exit", "left by _exit"},
		[SCP_END_ABORT] = {"abort", "aborted"},
		[SCP_END_DETACHED] = {"detached", "recording ended: detached"},
		{"unknown", "end not known"},
	};
	static const struct end seen[] = {
		[SCP_END_LIVED] = {"running", "still running at the end of the run"},
		[SCP_END_GONE] = {"not-seen", "ended, not seen how"},
		[SCP_END_STATUS] = {"bare-exit", "exited by its own system call"},
		[SCP_END_SIGNAL] = {"killed", "killed"},
	};
	uint32_t how = p->end.seen, state = p->end_state;

	if (how == SCP_END_SIGNAL)
		return &seen[how];
	if (report_names_is_detached(p))
		return &noted[SCP_END_DETACHED];
	if (state == SCP_END_RUNNING && how && how < SCP_END_SIGNAL)
		return &seen[how];
	return &noted[state <= SCP_END_DETACHED ? state : SCP_END_DETACHED + 1];
}

const char *process_end_name(const struct prof_process *p)
{
	return end_of(p)->name;
}

const struct prof_process *process_end_of_command(const struct report *r)
{
	for (uint32_t i = 0; i < r->profile->processes; i++)
		if (r->profile->process[i].end.seen >= SCP_END_STATUS)
			return &r->profile->process[i];
	return r->first;
}

static struct numbered signal_name(uint32_t signal)
{
	/* By the kernel's numbers, which are those of all processors here; glibc before 2.32 and
	 * musl have no sigabbrev_np. */
	static const char names[][7] = {"",	 "HUP",	 "INT",	   "QUIT", "ILL",  "TRAP",   "ABRT",
					"BUS",	 "FPE",	 "KILL",   "USR1", "SEGV", "USR2",   "PIPE",
					"ALRM",	 "TERM", "STKFLT", "CHLD", "CONT", "STOP",   "TSTP",
					"TTIN",	 "TTOU", "URG",	   "XCPU", "XFSZ", "VTALRM", "PROF",
					"WINCH", "POLL", "PWR",	   "SYS"};

	if (signal && signal < sizeof(names) / sizeof(*names))
		return numbered_text("SIG%s", names[signal]);
	return numbered_text("SIGRTMIN+%d", (int)signal - SIGRTMIN);
}

void process_end_describe(const struct prof_process *p, char *out, size_t room)
{
	if (p->end.seen == SCP_END_SIGNAL)
		snprintf(out, room, "killed by signal %" PRIu32 " (%s)", p->end.value,
			 signal_name(p->end.value).text);
	else if (p->end.seen == SCP_END_STATUS)
		snprintf(out, room, "%s, status %" PRIu32, end_of(p)->words, p->end.value);
	else
		snprintf(out, room, "%s", end_of(p)->words);
}

struct numbered process_end_abbreviate(const struct prof_process *p)
{
	if (p->end.seen == SCP_END_SIGNAL)
		return signal_name(p->end.value);
	if (p->end.seen == SCP_END_STATUS && p->end.value)
		return numbered_text("exit %" PRIu32, p->end.value);
	return numbered_text("%s", process_end_name(p));
}
