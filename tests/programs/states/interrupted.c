// SPDX-License-Identifier: GPL-3.0-or-later
/* A program whose signal handler runs in the middle of what the library asks the kernel: a filter
 * that is installed behind the library's back turns getrusage of a thread into a signal.
 * `interrupted MODE`:
 *   nested   the handler exchanges bytes; so do 10 regions, after they have slept
 *   forking  it forks, and the child goes on where it was
 *   vforked  no handler: the first calls of a thread are its vfork child's; then it polls 10 times
 *   shut_in  no handler: a thread forbids itself to unmap a page, and ends */
#include <dlfcn.h>
#include <poll.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "scprof.h"
#include "target.h"

static int pair[2];
static bool forking;
static volatile bool inside;
static pid_t first;

static void shut_in(long (*system_call)(long, ...), unsigned number, unsigned at, unsigned argument,
		    unsigned act)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * at),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, act),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    system_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		die("installing the filter");
}

/* As if the kernel had answered: nothing was counted. */
static void answer(ucontext_t *at)
{
#if defined(__x86_64__)
	greg_t *registers = at->uc_mcontext.gregs;

	memset((void *)registers[REG_RSI], 0, sizeof(struct rusage));
	registers[REG_RAX] = 0;
#elif defined(__aarch64__)
	memset((void *)at->uc_mcontext.regs[1], 0, sizeof(struct rusage));
	at->uc_mcontext.regs[0] = 0;
#endif
}

static void fork_once(void)
{
	int status;
	pid_t child;

	forking = false;
	child = fork();
	if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
		say("the child ended with status %#x\n", status);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	answer(context);
	if (inside)
		return;
	inside = true;
	if (forking)
		fork_once();
	else
		exchange(pair);
	inside = false;
}

static void sleep_inside_regions(void)
{
	struct timespec ms = {.tv_nsec = 1000000};

	for (int i = 0; i < 10; i++) {
		SCPROF_BEGIN("outer");
		syscall(SYS_nanosleep, &ms, NULL);
		exchange(pair);
		SCPROF_END;
		if (getpid() != first)
			_exit(0);
	}
}

static void *end_shut_in(void *unused)
{
	(void)unused;
	exchange(pair);
	shut_in(syscall, SYS_munmap, 1, 4096, SECCOMP_RET_KILL_PROCESS);
	return NULL;
}

static void *vfork_first(void *unused)
{
	pid_t child = vfork();
	long kept = 0; /* pauses without a sleep: their time was over before */

	(void)unused;
	if (child == 0) {
		exchange(pair);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	for (int i = 0; i < 10; i++) {
		long before = thread_sleeps();

		poll(NULL, 0, 1);
		kept += thread_sleeps() == before;
	}
	say("kept %ld\n", kept);
	return NULL;
}

static int in_thread(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) || pthread_join(thread, NULL))
		die("thread");
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (argc != 2 || !libc)
		return 2;
	make_pair(pair);
	if (!strcmp(argv[1], "shut_in"))
		return in_thread(end_shut_in);
	if (!strcmp(argv[1], "vforked"))
		return in_thread(vfork_first);
	first = getpid();
	sigaction(SIGSYS, &action, NULL);
	sleep_inside_regions(); /* the paths are known from now on */
	forking = !strcmp(argv[1], "forking");
	shut_in((long (*)(long, ...))dlsym(libc, "syscall"), SYS_getrusage, 0, RUSAGE_THREAD,
		SECCOMP_RET_TRAP);
	sleep_inside_regions();
	return 0;
}
