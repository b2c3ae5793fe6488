// SPDX-License-Identifier: Apache-2.0
/* Noticing that the program installs a seccomp filter, forbids the time-stamp
 * counter, or names a thread. syscall() and prctl() are
 * interposed without a frame of ours: an entry in assembly looks at the numbers
 * and jumps on, because a raw clone or vfork may return twice, or on another
 * stack. Only the few calls that matter to us take the way through C. */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "function.h"
#include "process.h"
#include "sandbox.h"
#include "thread.h"

uint32_t sandbox_active;

typedef long call6(long, long, long, long, long, long, long);

/* The flag goes up first: once the filter holds it is too late. */
static long install(call6 *real, long n, long a, long b, long c, long d, long e, long f)
{
	uint32_t before = sandbox_active;
	sandbox_active = 1;
	long r = real(n, a, b, c, d, e, f);
	if (r != 0)
		sandbox_active = before;
	return r;
}

HIDDEN long sandbox_syscall(long n, long a, long b, long c, long d, long e, long f);
long sandbox_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	call6 *real = (call6 *)function_resolve(FN_syscall);
	if (n == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
		return install(real, n, a, b, c, d, e, f);
	if (n == SYS_prctl && a == PR_SET_SECCOMP)
		return install(real, n, a, b, c, d, e, f);
	return real(n, a, b, c, d, e, f);
}

HIDDEN int sandbox_prctl(int option, long a, long b, long c, long d);
int sandbox_prctl(int option, long a, long b, long c, long d)
{
	int (*real)(int, long, long, long, long) = function_resolve(FN_prctl);
	uint32_t before = sandbox_active;
	if (option == PR_SET_SECCOMP)
		sandbox_active = 1;
	if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)
		process_stop();
	int r = real(option, a, b, c, d);
	if (option == PR_SET_SECCOMP && r != 0)
		sandbox_active = before;
	if (option == PR_SET_NAME && r == 0)
		thread_renamed();
	return r;
}
