// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: threads on small stacks, and coroutines of theirs, are interrupted at a high rate by
 * handlers that make calls, fork, and leave by siglongjmp, while another thread loads and unloads
 * plugins: all calls are recorded, or counted as given up. Usage: stressed JUMPS A.so B.so */
#include "target.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#define THREADS	  4
#define STACK	  32768
#define ALTERNATE 16384
#define OFTEN_NS  150000

typedef int entry_function(const int fd[2]);

static __thread sigjmp_buf back;
static __thread ucontext_t outside, inside;
static __thread int pair[2], other[2];
static __thread volatile unsigned jumps, turn;
static unsigned jumps_wanted;
static long attempted, returned, in_handlers;
static volatile int running;
static _Alignas(64) char stack[THREADS][STACK], coroutine[THREADS][STACK],
	alternate[THREADS][ALTERNATE];

static void add(long *to)
{
	__atomic_add_fetch(to, 1, __ATOMIC_RELAXED);
}

static void send_one(const int fd[2])
{
	char c = 'x';

	add(&attempted);
	send(fd[0], &c, 1, MSG_DONTWAIT);
	add(&returned);
	syscall(SYS_recvfrom, fd[1], &c, 1, MSG_DONTWAIT, NULL, NULL);
}

NOINLINE static void send_below(const int fd[2], unsigned depth)
{
	volatile char room[64];

	room[depth % sizeof room] = 1;
	if (depth > 0)
		send_below(fd, depth - 1);
	else
		send_one(fd);
	NO_TAIL_CALL();
}

static void fork_one(void)
{
	pid_t child = fork();

	if (child == 0) {
		send_below(other, 2);
		_exit(0);
	}
	if (child < 0)
		die("fork");
	add(&attempted); /* the child's */
	add(&returned);
	add(&in_handlers);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void on_timer(int sig)
{
	int saved = errno;

	(void)sig;
	if (!jumps)
		return;
	turn = turn * 1103515245 + 12345;
	if (turn >> 16 & 1) {
		add(&in_handlers);
		send_below(other, turn >> 17 & 3);
	}
	if ((turn >> 20 & 63) == 0)
		fork_one();
	errno = saved;
	if (turn >> 26 & 1) {
		jumps--;
		siglongjmp(back, 1);
	}
}

static void on_coroutine(void)
{
	for (unsigned i = 0; i < 8; i++)
		send_below(pair, i);
}

static timer_t begin_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec often = {{0, OFTEN_NS}, {0, OFTEN_NS}};
	timer_t timer;

	event._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
		die("timer");
	return timer;
}

static void *work(void *number)
{
	long n = (long)number;
	char own[ALTERNATE / 2];
	stack_t s = {.ss_sp = n % 2 ? own : alternate[n],
		     .ss_size = n % 2 ? sizeof own : sizeof alternate[n]};
	volatile timer_t timer;
	sigset_t timer_only;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || socketpair(AF_UNIX, SOCK_DGRAM, 0, other) ||
	    sigaltstack(&s, NULL))
		die("preparing a thread");
	turn = (unsigned)n;
	sigemptyset(&timer_only);
	sigaddset(&timer_only, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &timer_only, NULL);
	jumps = jumps_wanted;
	timer = begin_timer();
	/* The next one may come when we are here, and not on the signal stack any more. */
	sigsetjmp(back, 0);
	pthread_sigmask(SIG_UNBLOCK, &timer_only, NULL);
	while (jumps) {
		for (unsigned i = 0; i < 16; i++)
			send_below(pair, (i * 7 + turn) % 12);
		getcontext(&inside);
		inside.uc_stack.ss_sp = coroutine[n];
		inside.uc_stack.ss_size = STACK;
		inside.uc_link = &outside;
		makecontext(&inside, on_coroutine, 0);
		swapcontext(&outside, &inside);
	}
	timer_delete(timer);
	return NULL;
}

static void *load_plugins(void *path)
{
	static const char *const name[] = {"plugin_a", "plugin_b"};
	int fd[2];
	sigset_t none;

	make_pair(fd);
	sigfillset(&none);
	pthread_sigmask(SIG_BLOCK, &none, NULL);
	for (unsigned i = 0; running; i++) {
		void *plugin = dlopen(((char **)path)[i % 2], RTLD_NOW);
		entry_function *call = plugin ? (entry_function *)dlsym(plugin, name[i % 2]) : NULL;
		if (!call)
			die("plugin");
		for (unsigned k = 0; k < 10; k++) {
			add(&attempted);
			call(fd);
			add(&returned);
		}
		dlclose(plugin);
	}
	return NULL;
}

static pthread_t begin_thread(void *(*f)(void *), void *argument, char *given)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (given ? pthread_attr_setstack(&attr, given, STACK)
		  : pthread_attr_setstacksize(&attr, STACK))
		die("a stack");
	if (pthread_create(&thread, &attr, f, argument))
		die("pthread_create");
	return thread;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_ONSTACK | SA_RESTART};
	pthread_t thread[THREADS], loader;

	if (argc != 4)
		return 2;
	jumps_wanted = (unsigned)atoi(argv[1]);
	sigaction(SIGUSR1, &action, NULL);
	running = 1;
	pthread_create(&loader, NULL, load_plugins, argv + 2);
	for (long i = 0; i < THREADS; i++)
		thread[i] = begin_thread(work, (void *)i, i < 2 ? stack[i] : NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	running = 0;
	pthread_join(loader, NULL);
	say("%u jumps\n", THREADS * jumps_wanted);
	expect_between("send", returned, attempted, in_handlers);
	return 0;
}
