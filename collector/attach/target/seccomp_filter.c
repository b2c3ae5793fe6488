// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/target/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"
#include "profile/base/error.h"
#include "collector/machine/kernel_numbers.h"

#define MOST_FILTERS	  512	/* the kernel takes 32768 instructions in all */
#define MOST_INSTRUCTIONS 32768 /* MAX_INSNS_PER_PATH */
#define CAN_ADMIN	  21	/* CAP_SYS_ADMIN */
#define MOST_MS		  5000	/* that a trial may take */

/* The system calls of dlopen, and of libscprof.so where it begins a file, a thread and a child,
 * ends them and goes on; with arguments as they really come, but addresses and descriptors that are
 * none, so that what a filter lets through fails in the kernel, and not as a filter would let it
 * fail: munmap, which only knows one error, is called twice. What may fail (a name, a count, a
 * hint) is not essential: but it must not kill. */
#define HERE	((uint64_t)(uint32_t)AT_FDCWD)
#define PLACE	UINT64_C(0x7f2000000000)
#define NOWHERE UINT64_C(0xffff800000000000) /* the kernel's */
#define NO_FD	UINT64_C(0xffffffff)
#define CALL(name, essential, ...)                                                                 \
	{                                                                                          \
#name, SYS_##name, {__VA_ARGS__ }, essential                                       \
	}

const struct seccomp_call seccomp_calls[] = {
	/* the chain of signal frames, and the loader */
	CALL(rt_sigreturn, true, 0),
	CALL(rt_sigprocmask, true, 0, PLACE, PLACE, 8),
	CALL(futex, true, PLACE, FUTEX_WAIT_PRIVATE, 1, PLACE, 0, 0),
	CALL(futex, true, NOWHERE, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0),
	CALL(ppoll, false, PLACE, 0, PLACE, 0, 0),
	CALL(openat, true, HERE, PLACE, O_RDONLY | O_CLOEXEC, 0),
	CALL(read, true, 3, PLACE, 832),
	CALL(pread64, true, 3, PLACE, 784, 64),
#ifdef SYS_newfstatat
	CALL(newfstatat, true, 3, PLACE, PLACE, AT_EMPTY_PATH),
#endif
	CALL(fstat, true, 3, PLACE),
	CALL(mmap, true, 0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_DENYWRITE, 3, 0),
	CALL(mmap, true, PLACE, 1 << 18, PROT_READ | PROT_EXEC,
	     MAP_PRIVATE | MAP_FIXED | MAP_DENYWRITE, 3, 4096),
	CALL(mmap, true, NOWHERE, 1 << 14, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, NO_FD, 0),
	CALL(mmap, true, 0, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, NO_FD, 0),
	CALL(mprotect, true, PLACE, 4096, PROT_READ),
	CALL(mprotect, true, PLACE, 4096, PROT_READ | PROT_WRITE),
	CALL(munmap, true, PLACE, 4096),
	CALL(munmap, true, NOWHERE, 4096),
	CALL(close, true, 3),
	CALL(brk, false, 0),
#ifdef SYS_getrandom
	CALL(getrandom, false, PLACE, 8, 1),
#endif
	/* the profile's file */
	CALL(openat, true, HERE, PLACE, O_RDWR | O_CLOEXEC | O_TMPFILE, 0600),
	CALL(openat, true, HERE, PLACE, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600),
	CALL(openat, true, HERE, PLACE, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0),
	CALL(linkat, true, HERE, PLACE, HERE, PLACE, AT_SYMLINK_FOLLOW),
	CALL(renameat2, false, HERE, PLACE, HERE, PLACE, 1),
	CALL(unlinkat, false, HERE, PLACE, 0),
	CALL(fallocate, false, 3, 0, 0, 1 << 20),
	CALL(ftruncate, true, 3, 1 << 20),
	CALL(fstatfs, false, 3, PLACE),
	CALL(pwrite64, false, 3, PLACE, 64, 0),
	CALL(lseek, false, 3, 0, 0),
	CALL(mmap, true, 0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0),
	CALL(mremap, true, PLACE, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_FIXED,
	     PLACE - (1 << 30)),
	CALL(madvise, false, PLACE, 4096, MADV_WIPEONFORK),
	CALL(madvise, false, PLACE, 1 << 20, MADV_POPULATE_WRITE),
	/* what it says of the process, threads and clocks */
	CALL(getpid, true, 0),
	CALL(getppid, false, 0),
	CALL(gettid, true, 0),
	CALL(geteuid, false, 0),
	CALL(getcwd, false, PLACE, 1024),
	CALL(readlinkat, false, HERE, PLACE, PLACE, 1023),
	CALL(prlimit64, false, 0, RLIMIT_AS, 0, PLACE),
	CALL(prctl, false, PR_GET_TSC, PLACE),
	CALL(prctl, false, PR_GET_SECCOMP),
	CALL(prctl, false, PR_GET_NAME, PLACE),
	CALL(clock_gettime, true, CLOCK_MONOTONIC_RAW, PLACE),
	CALL(clock_gettime, false, CLOCK_THREAD_CPUTIME_ID, PLACE),
	CALL(clock_getres, false, CLOCK_MONOTONIC_RAW, PLACE),
	CALL(getrusage, false, (uint64_t)RUSAGE_CHILDREN, PLACE),
	CALL(getrusage, false, RUSAGE_THREAD, PLACE),
	CALL(getsockopt, false, 3, SOL_SOCKET, SO_TYPE, PLACE, PLACE),
	CALL(sigaltstack, false, 0, PLACE),
	CALL(tgkill, false, 2, 2, 0),
	CALL(rt_sigaction, false, 2, 0, PLACE, 8),
};
#define CALLS (sizeof(seccomp_calls) / sizeof(*seccomp_calls))
const size_t seccomp_calls_count = CALLS;

bool seccomp_filter_readable(void)
{
	char map[128];
	unsigned long long first = 1, outside = 1, length = 0;
	uint64_t effective = proc_status_number(PROC_STATUS_SELF, "CapEff", 16, 0);
	uint64_t mode = proc_status_number(PROC_STATUS_SELF, "Seccomp", 10, 1);

	if (kernel_file_line(map, sizeof(map), "/proc/self/uid_map"))
		return false;
	sscanf(map, "%llu %llu %llu", &first, &outside, &length);
	return effective >> CAN_ADMIN & 1 && !mode && !first && !outside && length == UINT32_MAX;
}

/* 0: none, or the kernel (before 5.9) does not say. */
static unsigned filters_of(pid_t tid)
{
	return (unsigned)proc_status_number(tid, "Seccomp_filters", 10, 0);
}

unsigned seccomp_filter_count(pid_t tid)
{
	unsigned count = filters_of(tid);

	return count ? count : (unsigned)proc_status_number(tid, "Seccomp", 10, 0);
}

bool seccomp_filter_is_ours(pid_t tid)
{
	unsigned own = filters_of(getpid());

	return own && filters_of(tid) == own && filters_of(1) == own;
}

/* What a trial has come to: the parent reads it. */
struct trial {
	volatile size_t at;
	volatile bool installed, forbidden;
};

/* Behind the breakpoint; x86-64 is there already. */
static void step_over(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
#ifdef __aarch64__
	((ucontext_t *)context)->uc_mcontext.pc += 4;
#else
	(void)context;
#endif
}

/* The oldest first: each has let the process install the next one, by one of two calls. */
static bool install(const struct seccomp_chain *chain)
{
	struct sock_filter *code = chain->code;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (size_t i = 0; i < chain->filters; code += chain->count[i++]) {
		struct sock_fprog program = {(unsigned short)chain->count[i], code};

		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) &&
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			return false;
	}
	return true;
}

/* The handler of a signal returns by rt_sigreturn. A breakpoint brings the signal at this place: a
 * timer's would come in another call, and that one would be blamed. */
static void try_sigreturn(void)
{
#ifdef __aarch64__
	__asm__ volatile("brk #0" ::: "memory");
#else
	__asm__ volatile("int3" ::: "memory");
#endif
}

/* The error; 0; or -1 for more than 0. */
static int outcome(const struct seccomp_call *call)
{
	const uint64_t *a = call->argument;
	long result = syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);

	return result < 0 ? errno : -(result > 0);
}

/* `without`: its outcome without the filters; NULL: not known, as this process has them itself. */
static bool is_forbidden(const struct seccomp_call *call, const int *without, bool notifies)
{
	int now = outcome(call);

	if (notifies && now == ENOSYS && without && *without != ENOSYS)
		return true;
	return call->essential &&
	       (now == EPERM || now == EACCES || now == ENOSYS || (without && now != *without));
}

/* What this process had of signals (blocked, handled, ignored) says nothing of the filters. */
static void set_signals(void)
{
	const struct sigaction action = {.sa_sigaction = step_over, .sa_flags = SA_SIGINFO};
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigaction(SIGTRAP, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The child. Filters that it has from its start may kill it in the first call: so without a chain,
 * nothing is called before. */
static void try_all(struct trial *t, const struct seccomp_chain *chain)
{
	int without[CALLS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_signals();
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	syscall(SYS_close_range, 0U, ~0U, 0U);
	for (size_t i = 0; i < CALLS && chain->filters; i++)
		if (seccomp_calls[i].number != SYS_rt_sigreturn)
			without[i] = outcome(&seccomp_calls[i]);
	t->installed = install(chain);
	for (; t->installed && t->at < CALLS; t->at++) {
		const struct seccomp_call *call = &seccomp_calls[t->at];

		if (call->number == SYS_rt_sigreturn)
			try_sigreturn();
		else if ((t->forbidden = is_forbidden(call, chain->filters ? &without[t->at] : NULL,
						      chain->notifies)))
			break;
	}
	_exit(0);
}

/* False: it took too long. */
static bool await_end(pid_t child)
{
	for (int ms = 0; ms < MOST_MS; ms++) {
		if (waitpid(child, NULL, WNOHANG))
			return true;
		usleep(1000);
	}
	kill(child, SIGKILL);
	TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
	return false;
}

int seccomp_filter_try(const struct seccomp_chain *chain, struct profile_error *err)
{
	struct trial *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = t == MAP_FAILED ? -1 : fork();

	if (!child)
		try_all(t, chain);
	bool ended = child > 0 && await_end(child);
	bool fine = ended && t->installed && t->at == CALLS;
	if (!ended || !t->installed)
		error_set(err, "its seccomp filter cannot be tried");
	else if (!fine)
		error_set(err, "its seccomp filter %s %s, which recording needs",
			  t->forbidden ? "forbids" : "kills for", seccomp_calls[t->at].name);
	if (t != MAP_FAILED)
		munmap(t, sizeof(*t));
	return fine ? 0 : -1;
}

/* Adds filter `number` of a stopped thread. 1: added; 0: there is no such one; -1: errno. */
static int add_filter(struct seccomp_chain *chain, size_t *used, pid_t tid, size_t number)
{
	long count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, number, NULL);

	if (count < 0)
		return errno == ENOENT && number ? 0 : -1;
	if ((size_t)count > MOST_INSTRUCTIONS - *used || number >= MOST_FILTERS) {
		errno = E2BIG;
		return -1;
	}
	if (ptrace(PTRACE_SECCOMP_GET_FILTER, tid, number, chain->code + *used) != count)
		return -1;
	for (const struct sock_filter *i = chain->code + *used; i < chain->code + *used + count;
	     i++)
		chain->notifies |= i->code == (BPF_RET | BPF_A) ||
				   (i->code == (BPF_RET | BPF_K) &&
				    (i->k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_USER_NOTIF);
	chain->count[chain->filters++] = (size_t)count;
	*used += (size_t)count;
	return 1;
}

/* All filters. 0; or -1 with *err. */
static int read_all(struct seccomp_chain *chain, pid_t tid, struct profile_error *err)
{
	size_t used = 0;

	chain->code = malloc(MOST_INSTRUCTIONS * sizeof(*chain->code));
	chain->count = malloc(MOST_FILTERS * sizeof(*chain->count));
	int more = chain->code && chain->count ? 1 : -1;
	for (size_t i = 0; more > 0; i++)
		more = add_filter(chain, &used, tid, i);
	if (!more)
		return 0;
	error_set(err,
		  "cannot attach to thread %d: its seccomp filter cannot be read (%s): run scprof "
		  "as root of the whole machine, outside of containers, or start the program with "
		  "LD_PRELOAD=libscprof.so SCPROF_STOPPED=1",
		  (int)tid, strerror(errno));
	seccomp_filter_free(chain);
	return -1;
}

int seccomp_filter_read(struct seccomp_chain *chain, pid_t tid, struct profile_error *err)
{
	uint64_t mode = SECCOMP_MODE_DISABLED;
	int modes = proc_status_numbers(tid, "Seccomp", 10, &mode, 1);

	*chain = (struct seccomp_chain){0};
	if (modes >= 0 && mode == SECCOMP_MODE_DISABLED)
		return 0;
	if (mode == SECCOMP_MODE_STRICT)
		return error_set(err,
				 "cannot attach to thread %d: it is in strict seccomp mode, which "
				 "kills for all that recording needs: start the program without it",
				 (int)tid);
	if (!seccomp_filter_readable() && seccomp_filter_is_ours(tid))
		return 1;
	return read_all(chain, tid, err) ? -1 : 1;
}

int seccomp_filter_judge(const struct seccomp_chain *chain, pid_t tid, struct profile_error *err)
{
	struct profile_error why;

	if (!seccomp_filter_try(chain, &why))
		return 0;
	return error_set(err,
			 "cannot attach to thread %d: %.200s: allow that call in the filter, or "
			 "start the program without it",
			 (int)tid, why.text);
}

void seccomp_filter_free(struct seccomp_chain *chain)
{
	PROF_FREE(chain, code, count);
	*chain = (struct seccomp_chain){0};
}
