// SPDX-License-Identifier: GPL-3.0-or-later
/* Hundreds of threads that do what makes attaching hard, and check each result: dlopen and dlclose,
 * fork, exec, the allocator, signals, longjmp out of handlers, cancellation, timers, vectors.
 * Usage: torture THREADS PAUSE_MS FOLDER_OF_PLUGINS [FLAW]; until the end of its input.
 * Prints "steps N" twice a second, "wrong ..." where something is, and "ended ..." at its end.
 * FLAW: after 1000 steps it tells one wrong answer, or hangs, or crashes: to try what watches it.
 */
#include "tried.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "registers.h"

#define THREADS_MAX 2000
#define HANGS_AFTER 120.0 /* seconds: however busy the machine is */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct one {
	unsigned seed;
	int fd[2];
	long steps;
	const char *role;
	atomic_llong moved_ms;
	atomic_int ended;
};

static struct one ones[THREADS_MAX];
static atomic_int stopping;
static atomic_long steps_all;
static int pause_ms = 200;
static char self[4096], plugins[2][4096];
extern char **environ;

static unsigned next_of(struct one *t)
{
	t->seed = t->seed * 1103515245u + 12345u;
	return t->seed >> 8;
}

/* Bytes through a pair of sockets, in each of several ways. */
static void step_exchange(struct one *t)
{
	unsigned char out[300], in[300];
	struct iovec halves[2] = {{in, 100}, {in + 100, 200}};
	struct pollfd wait = {t->fd[1], POLLIN, 0};
	unsigned way = next_of(t) % 3;
	long n;

	for (size_t i = 0; i < sizeof out; i++)
		out[i] = (unsigned char)next_of(t);
	n = way ? send(t->fd[0], out, sizeof out, 0) : write(t->fd[0], out, sizeof out);
	check_not_interrupted(t->role, n);
	n = poll(&wait, 1, -1);
	check_not_interrupted(t->role, n);
	n = way == 0   ? recv(t->fd[1], in, sizeof in, 0)
	    : way == 1 ? read(t->fd[1], in, sizeof in)
		       : readv(t->fd[1], halves, 2);
	check_not_interrupted(t->role, n);
	if (n != sizeof out || memcmp(in, out, sizeof out))
		wrong(t->role, "%ld bytes came, of other content", n);
}

static void step_open(struct one *t)
{
	unsigned which = next_of(t) & 1;
	void *object = dlopen(plugins[which], RTLD_NOW);
	int (*entry)(const int fd[2]);

	if (!object) {
		wrong(t->role, "%s", dlerror());
		return;
	}
	*(void **)&entry = dlsym(object, which ? "plugin_b" : "plugin_a");
	if (!entry || entry(t->fd))
		wrong(t->role, "the plugin gives something else");
	if (dlclose(object))
		wrong(t->role, "dlclose: %s", dlerror());
}

static void check_child(struct one *t, pid_t child, int code)
{
	int status = -1;
	pid_t found = waitpid(child, &status, 0);

	check_not_interrupted(t->role, found);
	if (found != child || !WIFEXITED(status) || WEXITSTATUS(status) != code)
		wrong(t->role, "child %d: waitpid %d, status %x, expected %d", child, found,
		      (unsigned)status, code);
}

static void step_fork(struct one *t)
{
	int code = (int)(next_of(t) % 100);
	pid_t child = fork();
	char c = 0;

	if (child == 0) {
		int own[2];

		make_pair(own);
		exchange_times(own, 3);
		free(malloc(1000));
		send(t->fd[0], "k", 1, 0);
		_exit(code);
	}
	if (child < 0) {
		wrong(t->role, "fork: %s", strerror(errno));
		return;
	}
	check_not_interrupted(t->role, recv(t->fd[1], &c, 1, 0));
	if (c != 'k')
		wrong(t->role, "the child sent %d", c);
	check_child(t, child, code);
}

static void step_exec(struct one *t)
{
	char code[16];
	char *arguments[] = {self, (char *)"child", code, NULL};
	int number = (int)(next_of(t) % 100), error;
	pid_t child;

	snprintf(code, sizeof code, "%d", number);
	if (next_of(t) & 1) {
		error = posix_spawn(&child, self, NULL, NULL, arguments, environ);
		if (error) {
			wrong(t->role, "posix_spawn: %s", strerror(error));
			return;
		}
	} else {
		child = fork();
		if (child == 0) {
			execv(self, arguments);
			_exit(101);
		}
	}
	check_child(t, child, number);
}

static void step_malloc(struct one *t)
{
	unsigned char *piece[16], *page;
	size_t size[16];

	for (int i = 0; i < 16; i++) {
		size[i] = 1 + next_of(t) % (i == 15 ? 300000 : 3000);
		piece[i] = malloc(size[i]);
		memset(piece[i], i + 1, size[i]);
	}
	piece[3] = realloc(piece[3], size[3] + 5000);
	for (int i = 0; i < 16; i++) {
		if (piece[i][0] != i + 1 || piece[i][size[i] - 1] != i + 1)
			wrong(t->role, "a block's content is another");
		free(piece[i]);
	}
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[5000] = 7;
	mprotect(page, 8192, PROT_READ);
	if (page[5000] != 7 || munmap(page, 8192))
		wrong(t->role, "a page's content is another");
}

static __thread volatile sig_atomic_t raised;
static __thread sigjmp_buf back;

static void on_count(int number)
{
	(void)number;
	raised = raised + 1;
}

static void on_jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void step_raise(struct one *t)
{
	int before = raised;

	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	if (raised != before + 20)
		wrong(t->role, "%d of 20 signals were handled", raised - before);
}

static timer_t timer_of(int number)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	timer_t timer;

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		die("timer_create");
	return timer;
}

/* Out of a read that nothing ends, by a handler. */
static void step_jump(struct one *t)
{
	struct itimerspec soon = {.it_value.tv_nsec = 1000000 + next_of(t) % 3000000};
	timer_t timer = timer_of(SIGUSR2);
	char c;

	if (sigsetjmp(back, 1) == 0) {
		timer_settime(timer, 0, &soon, NULL);
		wrong(t->role, "read came back: %ld, errno %d", (long)read(t->fd[1], &c, 1), errno);
	}
	timer_delete(timer);
}

static void mark(void *where)
{
	*(int *)where = 0;
}

/* end[2]: whether it is between push and pop. */
static void *to_cancel(void *argument)
{
	int *end = argument;
	char c;

	pthread_cleanup_push(mark, &end[2]);
	end[2] = 1;
	while (read(end[0], &c, 1) < 0 && errno == EINTR)
		;
	pthread_cleanup_pop(0);
	return NULL;
}

static void step_cancel(struct one *t)
{
	int end[3] = {t->fd[1], 0, 0};
	struct timespec while_ = {0, (long)(next_of(t) % 2000000)};
	void *result = NULL;
	pthread_t thread;

	if (pthread_create(&thread, NULL, to_cancel, end)) {
		wrong(t->role, "pthread_create");
		return;
	}
	nanosleep(&while_, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	if (result != PTHREAD_CANCELED || end[2])
		wrong(t->role, "the thread was not cancelled, or its handler not called");
}

static void step_timer(struct one *t)
{
	struct timespec nap = {0, 1000000 + next_of(t) % 4000000};
	struct itimerspec soon = {.it_value = nap};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	double began = seconds_now(), asked = (double)nap.tv_nsec / 1e9;
	uint64_t ticks = 0;
	int result = nanosleep(&nap, NULL);

	check_not_interrupted(t->role, result);
	if (result || seconds_now() - began < asked)
		wrong(t->role, "nanosleep: %d after %g s of %g", result, seconds_now() - began,
		      asked);
	timerfd_settime(fd, 0, &soon, NULL);
	check_not_interrupted(t->role, read(fd, &ticks, sizeof ticks));
	if (ticks != 1)
		wrong(t->role, "the timer ticked %ld times", (long)ticks);
	close(fd);
}

static void step_pending(struct one *t)
{
	int number = SIGRTMIN + 4;
	struct timespec none = {0, 0};
	sigset_t set, old, now;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	pthread_sigqueue(pthread_self(), number, (union sigval){.sival_int = 4711});
	usleep(2000);
	sigpending(&now);
	if (sigismember(&now, number) != 1)
		wrong(t->role, "the signal is not pending");
	if (sigtimedwait(&set, &info, &none) != number || info.si_value.sival_int != 4711)
		wrong(t->role, "the pending signal is another");
	pthread_sigmask(SIG_SETMASK, &old, &now);
	if (sigismember(&now, number) != 1)
		wrong(t->role, "the mask is another");
}

static void step_errno(struct one *t)
{
	char c = 'e';

	errno = 0;
	if (send(-1, &c, 1, 0) != -1 || errno != EBADF)
		wrong(t->role, "send(-1): errno %d", errno);
	errno = 4711;
	if (send(t->fd[0], &c, 1, 0) != 1 || recv(t->fd[1], &c, 1, 0) != 1 || errno != 4711)
		wrong(t->role, "errno is %d after calls that went well", errno);
}

static void step_wait(struct one *t)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	int result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 3000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	do
		result = pthread_cond_timedwait(&condition, &mutex, &until);
	while (result == 0);
	pthread_mutex_unlock(&mutex);
	if (result != ETIMEDOUT)
		wrong(t->role, "pthread_cond_timedwait: %d", result);
}

static void step_vectors(struct one *t)
{
	check_vectors(t->role, next_of(t), next_of(t) & 1 ? 3 : 0, 100000);
}

static void step_stdio(struct one *t)
{
	unsigned number = next_of(t), found = 0;
	FILE *file = tmpfile();

	if (!file) {
		wrong(t->role, "tmpfile: %s", strerror(errno));
		return;
	}
	fprintf(file, "%u\n", number);
	rewind(file);
	if (fscanf(file, "%u", &found) != 1 || found != number)
		wrong(t->role, "another number was read");
	fclose(file);
}

static const struct {
	const char *name;
	void (*step)(struct one *t);
} roles[] = {{"exchange", step_exchange}, {"open", step_open},	     {"fork", step_fork},
	     {"exec", step_exec},	  {"malloc", step_malloc},   {"raise", step_raise},
	     {"jump", step_jump},	  {"cancel", step_cancel},   {"timer", step_timer},
	     {"open", step_open},	  {"pending", step_pending}, {"errno", step_errno},
	     {"wait", step_wait},	  {"vectors", step_vectors}, {"stdio", step_stdio},
	     {"fork", step_fork}};
#define ROLES (sizeof roles / sizeof *roles)

static void *live(void *argument)
{
	struct one *t = argument;
	size_t role = (size_t)(t - ones) % ROLES;

	t->role = roles[role].name;
	while (!stopping) {
		unsigned ms = next_of(t) % (unsigned)(2 * pause_ms + 1);
		struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};

		t->moved_ms = (long long)(seconds_now() * 1000);
		roles[role].step(t);
		atomic_fetch_add(&steps_all, 1);
		check_not_interrupted(t->role, nanosleep(&pause, NULL));
	}
	t->ended = 1;
	return NULL;
}

/* Those that have not moved for long. */
static void look_for_hanging(long threads)
{
	long long now = (long long)(seconds_now() * 1000);

	for (long i = 0; i < threads; i++)
		if (!ones[i].ended && ones[i].moved_ms &&
		    now - ones[i].moved_ms > HANGS_AFTER * 1000) {
			wrong(ones[i].role, "thread %ld hangs", i);
			ones[i].moved_ms = now;
		}
}

static void be_flawed(const char *flaw)
{
	static int was;

	if (!flaw || was || steps_all < 1000)
		return;
	was = 1;
	if (!strcmp(flaw, "wrong"))
		wrong("flaw", "as was asked for");
	else if (!strcmp(flaw, "hang"))
		pause();
	else
		abort();
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 500;
	struct sigaction count = {.sa_handler = on_count, .sa_flags = SA_RESTART},
			 jump = {.sa_handler = on_jump};
	struct pollfd input = {0, POLLIN, 0};
	pthread_attr_t small;
	pthread_t thread;

	if (argc == 3 && !strcmp(argv[1], "child"))
		return atoi(argv[2]);
	if (argc < 4 || threads < 1 || threads > THREADS_MAX)
		return 2;
	pause_ms = atoi(argv[2]);
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		die("readlink");
	snprintf(plugins[0], sizeof plugins[0], "%s/plugin_a.so", argv[3]);
	snprintf(plugins[1], sizeof plugins[1], "%s/plugin_b.so", argv[3]);
	sigaction(SIGUSR1, &count, NULL);
	sigaction(SIGUSR2, &jump, NULL);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);
	pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
	for (long i = 0; i < threads; i++) {
		ones[i].seed = (unsigned)i * 7919u + 1;
		make_pair(ones[i].fd);
		if (pthread_create(&thread, &small, live, &ones[i]))
			die("pthread_create");
	}
	do {
		int n = poll(&input, 1, 500);

		check_not_interrupted("main", n);
		if (n > 0)
			break;
		say("steps %ld\n", steps_all);
		look_for_hanging(threads);
		be_flawed(argc > 4 ? argv[4] : NULL);
	} while (1);
	stopping = 1;
	for (double until = seconds_now() + HANGS_AFTER; seconds_now() < until; usleep(10000)) {
		long ended = 0;

		for (long i = 0; i < threads; i++)
			ended += ones[i].ended;
		if (ended == threads)
			break;
	}
	for (long i = 0; i < threads; i++)
		if (!ones[i].ended)
			wrong(ones[i].role, "thread %ld does not end", i);
	say("ended: steps %ld, EINTR %ld, wrong %ld\n", steps_all, eintr_count, wrong_count);
	return wrong_count != 0;
}
