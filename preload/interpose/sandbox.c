// SPDX-License-Identifier: Apache-2.0
/* Noticing that the program installs a seccomp filter, forbids the time-stamp
 * counter, names a thread, or registers an area of rseq(2). syscall() and prctl() are
 * interposed without a frame of ours: an entry in assembly looks at the numbers
 * and jumps on, because a raw clone or vfork may return twice, or on another
 * stack. Only the few calls that matter to us take the way through C. */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/clock/clock.h"
#include "preload/function/function.h"
#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/start/lifecycle.h"
#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"
#include "preload/table/thread.h"

/* The counter is about to be forbidden (prctl PR_SET_TSC, strict seccomp), and most clocks with
 * it: stop recording, permanently. */
static void stop_for_good(void)
{
	lifecycle_begin_forked();
	header_mark_end(SCP_END_RUNNING);
	process_loss(stopped, 1);
	settings.groups = 0; /* for forked children */
	__atomic_store_n(&process_groups, 0, __ATOMIC_RELEASE);
}

typedef long call6(long, long, long, long, long, long, long);

/* The flag goes up first: once the filter holds it is too late. Strict mode also makes reading the
 * counter a fault, and a filter may forbid the system call that some clocks are read by. */
static uint32_t prepare(bool strict)
{
	uint32_t before = sys_sandboxed;
	lifecycle_begin_forked();
	if (strict || clock_needs_system_calls())
		stop_for_good();
	sys_sandboxed = 1;
	if (!before && !strict)
		file_fill(process.file);
	return before;
}

static void conclude(bool installed, uint32_t before)
{
	if (!installed)
		sys_sandboxed = before;
	else
		process_loss(sandboxed, 1);
}

HIDDEN int sandbox_prctl(int option, long a, long b, long c, long d);
int sandbox_prctl(int option, long a, long b, long c, long d)
{
	int (*real)(int, long, long, long, long) = function_resolve(FN_prctl);
	bool seccomp = option == PR_SET_SECCOMP;
	uint32_t before = seccomp ? prepare(a == SECCOMP_MODE_STRICT) : 0;
	if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)
		stop_for_good();
	int r = real(option, a, b, c, d);
	if (seccomp)
		conclude(r == 0, before);
	if (option == PR_SET_NAME && r == 0)
		thread_renamed(true);
	return r;
}

HIDDEN long sandbox_syscall(long n, long a, long b, long c, long d, long e, long f);
long sandbox_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	call6 *real = (call6 *)function_resolve(FN_syscall);
	bool strict = a == SECCOMP_SET_MODE_STRICT;
	if (n == SYS_prctl)
		return sandbox_prctl((int)a, b, c, d, e);
	if (n == SYS_rseq && !c)
		switch_detector_give_way(thread_self ? &thread_self->switches : NULL);
	if (n != SYS_seccomp || (!strict && a != SECCOMP_SET_MODE_FILTER))
		return real(n, a, b, c, d, e, f);
	uint32_t before = prepare(strict);
	long r = real(n, a, b, c, d, e, f);
	conclude(r == 0, before);
	return r;
}
