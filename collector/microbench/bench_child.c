// SPDX-License-Identifier: GPL-3.0-or-later
/* The process that user code runs in. It may crash, exit or never come back; it
 * leaves its results, or its reason for having none, in the shared record. */
#include "collector/microbench/bench_subject.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* What user code prints would mix with the report; and it must not read our standard input. */
static int silence(struct bench_record *r)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return bench_subject_refuse(r, BENCH_FAILED, "cannot open /dev/null");
	return 0;
}

void bench_child(const struct bench_plan *plan, struct bench_record *record)
{
	struct bench_subject subject = {.plan = plan, .record = record};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (silence(record))
		_exit(0);
	record->phase = BENCH_LOADING;
	if (plan->library ? bench_function_open(&subject) : bench_command_open(&subject))
		_exit(0);
	bench_measure(&subject);
	_exit(0);
}
