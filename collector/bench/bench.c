// SPDX-License-Identifier: GPL-3.0-or-later
/* Starts the child, watches it, and says in one line how it ended. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/bench/bench_subject.h"
#include "collector/clocks/clocks_read.h"
#include "collector/duration.h"
#include "collector/launch/launch.h"

#define CALIBRATION_US 20000

int bench_set_clock(struct bench_plan *plan, enum scp_clock_kind kind, char *why, size_t size)
{
	bool trusted = clocks_verdict_trusts_counter(why, size);
	struct scp_anchor from;

	plan->clock = SCP_CLOCK_MONOTONIC;
	plan->ns_per_unit = 1;
	if (kind == SCP_CLOCK_TSC && !trusted)
		return -1;
	if (kind == SCP_CLOCK_MONOTONIC || !trusted)
		return 0;
	plan->clock = SCP_CLOCK_TSC;
	plan->ns_per_unit = 1 / clocks_measure_rate_for(clocks_read_source(SCP_CLOCK_TSC)->read,
							CALIBRATION_US, &from);
	return 0;
}

static size_t record_size(const struct bench_plan *plan)
{
	return sizeof(struct bench_record) + plan->replications * sizeof(struct bench_replication);
}

void bench_free_record(struct bench_record *record, const struct bench_plan *plan)
{
	if (record)
		munmap(record, record_size(plan));
}

__attribute__((format(printf, 3, 4))) static enum bench_end fail(struct bench_error *err,
								 enum bench_end end,
								 const char *format, ...)
{
	FORMAT_BY(error_format, err->text, sizeof(err->text), format);
	return end;
}

/* Describes where user code was, as far as that is known. */
static void describe_place(const struct bench_plan *plan, const struct bench_record *r, char *text,
			   size_t size)
{
	static const char *const early[] = {[BENCH_STARTING] = "while its library was loaded",
					    [BENCH_LOADING] = "while its library was loaded",
					    [BENCH_FIRST] = "in its first call",
					    [BENCH_WARMING] = "in a call to warm up"};
	uint32_t phase = r->phase; /* user code may write to it */

	if (phase < BENCH_DOUBLING)
		snprintf(text, size, "%s", early[phase]);
	else if (phase == BENCH_DOUBLING)
		snprintf(text, size, "in a loop of %" PRIu64 " calls to find their number",
			 r->calls);
	else
		snprintf(text, size,
			 "in replication %" PRIu32 " of %" PRIu32 ", a loop of %" PRIu64 " calls",
			 r->replication + 1, plan->replications, r->calls);
}

static const char *subject_name(const struct bench_plan *plan)
{
	return plan->library ? plan->function : plan->path;
}

/* User code could have overwritten the record, so it is checked before it is used. */
static bool plausible(const struct bench_plan *plan, const struct bench_record *r)
{
	if (!r->calls)
		return false;
	for (const struct bench_replication *one = r->replications;
	     one < r->replications + plan->replications; one++) {
		if (!one->subject || one->subject >> 56 || one->empty >> 56)
			return false;
	}
	return true;
}

static enum bench_end judge(const struct bench_plan *plan, struct bench_record *r, int status,
			    struct bench_error *err)
{
	char place[128];

	if (r->refused) {
		r->why[sizeof(r->why) - 1] = '\0';
		return fail(err, r->refused <= BENCH_DIED ? (enum bench_end)r->refused : BENCH_DIED,
			    "%s", r->why);
	}
	if (status || r->phase != BENCH_FINISHED)
		describe_place(plan, r, place, sizeof(place));
	if (WIFSIGNALED(status))
		return fail(err, BENCH_DIED, "'%s' was killed by signal %d (%s), %s",
			    subject_name(plan), WTERMSIG(status), strsignal(WTERMSIG(status)),
			    place);
	if (status || r->phase != BENCH_FINISHED)
		return fail(err, BENCH_DIED, "'%s' ended its process with status %d, %s",
			    subject_name(plan), WEXITSTATUS(status), place);
	if (!plausible(plan, r))
		return fail(err, BENCH_DIED,
			    "'%s' wrote over memory that is not its own, the results among it",
			    subject_name(plan));
	return BENCH_DONE;
}

static int end_child(pid_t pid)
{
	int status = 0;

	kill(-pid, SIGKILL); /* and what it started, in its process group */
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	return status;
}

/* How long the present loop may still take, in ns; 0: no longer. */
static uint64_t time_left(const struct bench_plan *plan, const struct bench_record *r,
			  uint64_t started_ns)
{
	uint64_t now = clocks_read_ns(CLOCK_MONOTONIC), began = r->loop_began_ns;

	if (began < started_ns || began > now)
		began = started_ns;
	return now - began < plan->timeout_ns ? plan->timeout_ns - (now - began) : 0;
}

#define PROGRESS_NS UINT64_C(250000000)

static enum bench_end watch(const struct bench_plan *plan, struct bench_record *r, pid_t pid,
			    const sigset_t *signals, struct bench_error *err)
{
	uint64_t started_ns = clocks_read_ns(CLOCK_MONOTONIC), left;
	int status;

	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return judge(plan, r, status, err);
		left = time_left(plan, r, started_ns);
		if (!left) {
			char place[128], limit[32];

			end_child(pid);
			describe_place(plan, r, place, sizeof(place));
			duration_print_exact(plan->timeout_ns, limit, sizeof(limit));
			return fail(err, BENCH_ENDLESS,
				    "'%s' did not return within %s, %s; --timeout allows more",
				    subject_name(plan), limit, place);
		}
		if (plan->progress) {
			plan->progress(plan->context,
				       fmin(1, (double)r->replication / plan->replications));
			left = left < PROGRESS_NS ? left : PROGRESS_NS;
		}
		struct timespec wait = clocks_read_timespec(left);
		int got = sigtimedwait(signals, NULL, &wait);
		if (got > 0 && got != SIGCHLD) {
			end_child(pid);
			err->signal = got;
			return fail(err, BENCH_STOPPED, "stopped by signal %d (%s)", got,
				    strsignal(got));
		}
	}
}

/* The process that user code runs in. It may crash, exit or never return; it leaves its results, or
 * its reason for having none, in the shared record. */
static _Noreturn void child_main(const struct bench_plan *plan, struct bench_record *record)
{
	struct bench_subject subject = {.plan = plan, .record = record};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* its output would mix with the report, and it must not read our standard input */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) {
		bench_measure_refuse(record, BENCH_FAILED, "cannot open /dev/null");
		_exit(0);
	}
	record->phase = BENCH_LOADING;
	if (plan->library ? bench_function_open(&subject) : bench_command_open(&subject))
		_exit(0);
	bench_measure(&subject);
	_exit(0);
}

static enum bench_end run_child(const struct bench_plan *plan, struct bench_record *r,
				struct bench_error *err)
{
	struct sigaction chld, plain = {.sa_handler = SIG_DFL};
	sigset_t signals, mask;
	enum bench_end end;

	launch_ending_signals(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaction(SIGCHLD, &plain, &chld); /* where it is ignored, nothing could be waited for */
	sigprocmask(SIG_BLOCK, &signals, &mask);
	pid_t pid = fork();
	if (!pid) {
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		child_main(plan, r);
	}
	if (pid < 0) {
		end = fail(err, BENCH_FAILED, "cannot start a process: %s", strerror(errno));
	} else {
		setpgid(pid, pid); /* in the parent, too: either may be first */
		end = watch(plan, r, pid, &signals, err);
		if (end != BENCH_DONE)
			kill(-pid, SIGKILL);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGCHLD, &chld, NULL);
	return end;
}

enum bench_end bench_run(const struct bench_plan *plan, struct bench_record **record,
			 struct bench_error *err)
{
	struct bench_record *r = mmap(NULL, record_size(plan), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*record = NULL;
	*err = (struct bench_error){0};
	if (r == MAP_FAILED)
		return fail(err, BENCH_FAILED, "out of memory for the results: %s",
			    strerror(errno));
	enum bench_end end = run_child(plan, r, err);
	if (end == BENCH_DONE)
		*record = r;
	else
		bench_free_record(r, plan);
	return end;
}
