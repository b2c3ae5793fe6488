// SPDX-License-Identifier: GPL-3.0-or-later
/* Plays the tool for itself: makes the page of include/scprof_causal.h, starts itself again with
 * the library, sets delays while it makes calls, and looks at what was counted. No verdict depends
 * on how long anything takes.
 *
 *	delays PAGE LIBRARY TEST		starts itself again, with "inside" as another
 *argument delays PAGE make path|site|function	a page for other programs delays PAGE count
 *the sites in it delays PAGE forbid COMMAND...		run where the counter may not be read
 *
 * Says what is wrong on standard output; exit status 0: nothing. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "include/scprof.h"
#include "include/scprof_causal.h"
#include "target.h"

#define DELAY 20000u /* units: some microseconds */

static struct scp_causal_page *page;
static const char *page_path;
static int ends[2];
static int wrong;

#define SHOULD(what)                                                                               \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			say("%s:%d: not so: %s\n", __func__, __LINE__, #what);                     \
			wrong = 1;                                                                 \
		}                                                                                  \
	} while (0)

static struct scp_causal_page *map(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct scp_causal_page *p =
		mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		die("mmap");
	close(fd);
	return p;
}

static void make_page(const char *path, uint32_t by, const char *progress)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(struct scp_causal_page)) != 0)
		die(path);
	close(fd);
	page = map(path);
	memcpy(page->magic, SCP_CAUSAL_MAGIC, sizeof page->magic);
	page->bytes = sizeof *page;
	page->by = by;
	strcpy(page->progress, progress);
	page->expires = UINT64_MAX;
	page->limit = UINT64_MAX;
	page->longest = UINT32_MAX;
}

static struct scp_causal_count count_of(unsigned slot)
{
	struct scp_causal_count sum = {0};

	for (unsigned i = 0; i < SCP_CAUSAL_THREADS; i++) {
		sum.calls += page->thread[i].slot[slot].calls;
		sum.delayed += page->thread[i].slot[slot].delayed;
		sum.units += page->thread[i].slot[slot].units;
		sum.busy += page->thread[i].slot[slot].busy;
	}
	return sum;
}

static struct scp_causal_progress progress(void)
{
	struct scp_causal_progress sum = {0};

	for (unsigned i = 0; i < SCP_CAUSAL_THREADS; i++) {
		sum.completed += page->thread[i].progress.completed;
		sum.units += page->thread[i].progress.units;
	}
	return sum;
}

static uint64_t skipped(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SCP_CAUSAL_THREADS; i++)
		sum += page->thread[i].skipped;
	return sum;
}

static NOINLINE void send_one(void)
{
	if (send(ends[0], "x", 1, MSG_DONTWAIT) < 0 && errno != EAGAIN)
		die("send");
	NO_TAIL_CALL();
}

static NOINLINE void receive_one(void)
{
	char byte;

	errno = 0;
	(void)!recv(ends[1], &byte, 1, MSG_DONTWAIT);
	NO_TAIL_CALL();
}

/* The site that this enters: its calls are counted in `slot`. */
static struct scp_causal_site *enter(void (*call)(void), unsigned slot)
{
	static char known[SCP_CAUSAL_SITES];
	struct scp_causal_site *found = NULL;

	for (unsigned i = 0; i < SCP_CAUSAL_SITES; i++)
		known[i] = page->site[i].key != 0;
	call();
	for (unsigned i = 0; i < SCP_CAUSAL_SITES; i++)
		if (page->site[i].key && !known[i]) {
			SHOULD(!found);
			found = &page->site[i];
		}
	if (!found) {
		say("no site was entered\n");
		syscall(SYS_exit_group, 1);
	}
	SHOULD(found->known == 1 && found->pid == (uint32_t)getpid() && found->path);
	found->slot = slot;
	return found;
}

static void test_calls(void)
{
	struct scp_causal_site *s = enter(send_one, 1), *r = enter(receive_one, 2);
	uint64_t sent = progress().completed;

	for (int i = 0; i < 100; i++)
		send_one();
	SHOULD(count_of(1).calls == 100 && count_of(1).delayed == 0);
	SHOULD(progress().completed == sent + 100);
	s->delay = DELAY;
	uint64_t units = progress().units;
	for (int i = 0; i < 100; i++)
		send_one();
	SHOULD(count_of(1).calls == 200 && count_of(1).delayed == 100);
	SHOULD(count_of(1).units >= 100 * DELAY);
	SHOULD(count_of(1).busy > 0);			 /* an interrupted delay has less of it */
	SHOULD(progress().units - units >= 100 * DELAY); /* inside its duration */
	s->delay = 0;
	send_one();
	SHOULD(count_of(1).calls == 201 && count_of(1).delayed == 100);
	r->delay = DELAY;
	for (int i = 0; i < 300; i++) {
		receive_one();
		SHOULD(errno == (i < 201 ? 0 : EAGAIN));
	}
	SHOULD(count_of(2).calls == 300 && count_of(2).delayed == 300);
	SHOULD(skipped() == 0);
}

static void test_outcome(void)
{
	struct scp_causal_site *r = enter(receive_one, 2);
	uint64_t before = progress().completed;

	for (int i = 0; i < 201; i++)
		send_one();
	r->delay = DELAY;
	for (int i = 0; i < 300; i++)
		receive_one();
	SHOULD(progress().completed == before + 300 - 201);
	SHOULD(progress().units >= 99 * DELAY);
}

static void test_errno(void)
{
	struct scp_causal_site *s = enter(send_one, 1), *r = enter(receive_one, 2);

	s->delay = r->delay = DELAY;
	for (int i = 0; i < 50; i++) {
		errno = 1234;
		send_one();
		SHOULD(errno == 1234);
	}
	SHOULD(count_of(1).delayed == 50);
}

static NOINLINE void part(void)
{
	SCPROF_BEGIN("part");
	SCPROF_END;
	NO_TAIL_CALL();
}

static NOINLINE void two_points(void)
{
	SCPROF_POINT("reached");
	SCPROF_POINT("passed");
	NO_TAIL_CALL();
}

static void test_regions(void)
{
	struct scp_causal_site *s = enter(part, 1);
	uint64_t before = progress().completed;

	s->delay = DELAY;
	for (int i = 0; i < 100; i++)
		part();
	SHOULD(count_of(1).calls == 100 && count_of(1).delayed == 100);
	SHOULD(count_of(1).units >= 100 * DELAY);
	SHOULD(progress().completed == before + 100);
	SHOULD(progress().units >= 100 * DELAY); /* inside the region */
}

static void test_points(void)
{
	struct scp_causal_site *s = enter(two_points, 2);
	uint64_t before = progress().completed;

	s->delay = DELAY;
	for (int i = 0; i < 100; i++)
		two_points();
	SHOULD(progress().completed == before + 100);
	SHOULD(count_of(2).calls == 100 && count_of(2).delayed == 100);
	SCPROF_POINT_STOP;
	two_points();
	SHOULD(progress().completed == before + 101);
}

static void on_signal(int number)
{
	(void)number;
	send_one();
}

static NOINLINE void signal_self(void)
{
	pthread_kill(pthread_self(), SIGUSR1);
}

static void test_handler(void)
{
	struct scp_causal_site *s;

	signal(SIGUSR1, on_signal);
	s = enter(signal_self, 1);
	SHOULD(s->flags & SCP_CAUSAL_IN_HANDLER);
	s->delay = DELAY;
	for (int i = 0; i < 10; i++)
		signal_self();
	SHOULD(count_of(1).calls == 10 && count_of(1).delayed == 0 && count_of(1).units == 0);
	SHOULD(skipped() == 10);
	s = enter(send_one, 2);
	SHOULD(!(s->flags & SCP_CAUSAL_IN_HANDLER));
	s->delay = DELAY;
	send_one();
	SHOULD(count_of(2).delayed == 1);
}

static void send_some(unsigned count)
{
	while (count--)
		send_one();
}

static void test_bounds(void)
{
	struct scp_causal_site *s = enter(send_one, 1);
	struct scp_causal_count c;

	page->expires = 1;
	s->delay = DELAY;
	send_some(10);
	SHOULD(count_of(1).calls == 10 && count_of(1).delayed == 0 && skipped() == 10);
	page->expires = UINT64_MAX;
	page->longest = DELAY - 1;
	send_some(10);
	SHOULD(count_of(1).calls == 20 && count_of(1).delayed == 0 && skipped() == 20);
	page->longest = DELAY;
	page->limit = 10 * DELAY;
	send_some(100);
	c = count_of(1);
	SHOULD(c.calls == 120 && c.delayed >= 1 && c.delayed <= 10);
	SHOULD(skipped() == c.calls - c.delayed);
	send_some(10);
	SHOULD(count_of(1).delayed == c.delayed);
	page->window++;
	send_some(1);
	SHOULD(count_of(1).delayed == c.delayed + 1);
	page->limit = page->longest = UINT64_MAX;
	s->delay = UINT32_MAX; /* the library's own limit */
	send_some(10);
	SHOULD(count_of(1).delayed == c.delayed + 1);
}

static volatile sig_atomic_t writing;

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Everything but that it is a page, which is looked at once. */
static void *write_garbage(void *nothing)
{
	uint64_t state = 0x9e3779b97f4a7c15u, *word = (uint64_t *)page;
	size_t words = sizeof *page / 8;

	while (writing)
		for (int i = 0; i < 20000; i++) {
			uint64_t at = draw(&state) % words, value = draw(&state);
			word[at] = value >> (draw(&state) & 63);
			page->site[value % SCP_CAUSAL_SITES].slot = (uint32_t)draw(&state);
		}
	return nothing;
}

static NOINLINE void send_at_depth(unsigned depth)
{
	if (depth)
		send_at_depth(depth - 1);
	else
		send_one();
	NO_TAIL_CALL();
}

static void test_garbage(void)
{
	pthread_t t;

	writing = 1;
	pthread_create(&t, NULL, write_garbage, NULL);
	for (unsigned i = 0; i < 3000; i++) {
		send_at_depth(i % 100);
		receive_one();
		part();
		two_points();
	}
	writing = 0;
	pthread_join(t, NULL);
	for (unsigned i = 0; i < SCP_CAUSAL_SITES; i++) /* not one free entry */
		page->site[i].key = i + 1;
	page->lost = 0;
	send_at_depth(150);
	for (unsigned i = 0; i < 10; i++)
		send_at_depth(100 + i);
	SHOULD(page->lost >= 10);
}

static unsigned owned(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SCP_CAUSAL_THREADS; i++)
		count += page->thread[i].owner != 0;
	return count;
}

static void test_forks(void)
{
	struct scp_causal_site *s = enter(send_one, 1);
	int status;

	s->delay = DELAY;
	send_some(5);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			send_some(10);
			SHOULD(owned() == 2u + (unsigned)i);
			_exit(wrong);
		}
		waitpid(pid, &status, 0);
		SHOULD(status == 0);
		bool found = false;
		for (unsigned k = 0; k < SCP_CAUSAL_THREADS; k++)
			found |= page->thread[k].owner >> 32 == (uint64_t)pid;
		SHOULD(found);
	}
	send_some(5);
	SHOULD(count_of(1).calls == 40 && count_of(1).delayed == 40);
	SHOULD(page->threads_lost == 0);
}

static void *send_in_thread(void *unused)
{
	(void)unused;
	send_one();
	return NULL;
}

/* Only where blocks run short: in a container, who lives may seem gone. */
static void test_dead(void)
{
	pid_t pid = fork();
	pthread_t t;

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	enter(send_one, 1);
	for (unsigned i = 0; i < SCP_CAUSAL_THREADS; i++)
		if (!page->thread[i].owner)
			page->thread[i].owner = (uint64_t)pid << 32 | (i + 1);
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&t, NULL, send_in_thread, NULL) != 0)
			die("pthread_create");
		pthread_join(t, NULL);
		SHOULD(page->threads_lost == 0 && count_of(1).calls == i + 1u);
		SHOULD(owned() == SCP_CAUSAL_THREADS - 1); /* it is free again */
	}
}

/* One after the other finds room in the profile: while one makes it larger, others do without. */
static void *send_with_others(void *barriers)
{
	pthread_barrier_t *alone = barriers, *all = alone + 1;

	receive_one();
	pthread_barrier_wait(alone);
	pthread_barrier_wait(all);
	send_some(20);
	pthread_barrier_wait(all);
	return NULL;
}

static void drain(void)
{
	char bytes[65536];

	while (syscall(SYS_recvfrom, ends[1], bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL) > 0)
		;
}

static void test_short_threads(void)
{
	struct scp_causal_site *s = enter(send_one, 1);
	pthread_t t[10];

	s->delay = 100;
	for (int i = 0; i < 1000; i++) {
		for (int k = 0; k < 10; k++)
			if (pthread_create(&t[k], NULL, send_in_thread, NULL) != 0)
				die("pthread_create");
		for (int k = 0; k < 10; k++)
			pthread_join(t[k], NULL);
		drain();
	}
	SHOULD(count_of(1).calls == 10000);
	SHOULD(owned() == 1 && page->threads_lost == 0);
}

static void test_many_threads(void)
{
	enum { THREADS = 600 };
	static pthread_t t[THREADS];
	struct scp_causal_site *s = enter(send_one, 1);
	pthread_barrier_t barriers[2];
	pthread_attr_t small;

	s->delay = 100;
	pthread_barrier_init(&barriers[0], NULL, 2);
	pthread_barrier_init(&barriers[1], NULL, THREADS + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&t[i], &small, send_with_others, barriers) != 0)
			die("pthread_create");
		pthread_barrier_wait(&barriers[0]);
	}
	pthread_barrier_wait(&barriers[1]);
	pthread_barrier_wait(&barriers[1]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	SHOULD(count_of(1).calls == THREADS * 20);
	SHOULD(page->threads_lost == THREADS - (SCP_CAUSAL_THREADS - 2));
	SHOULD(page->thread[SCP_CAUSAL_THREADS - 1].slot[1].calls == 20 * page->threads_lost);
}

static sigjmp_buf out;
static volatile sig_atomic_t armed, jumps;

static void on_alarm(int number)
{
	(void)number;
	if (armed) {
		armed = 0;
		jumps++;
		siglongjmp(out, 1);
	}
}

/* A delay of a thousand times what comes before and after it: jumps leave delays, nearly all. */
static void test_longjmp(void)
{
	struct itimerval often = {{0, 1000}, {0, 1000}};
	struct scp_causal_site *s = enter(send_one, 1);

	signal(SIGALRM, on_alarm);
	s->delay = 8000000;
	setitimer(ITIMER_REAL, &often, NULL);
	while (jumps < 20)
		if (!sigsetjmp(out, 1)) {
			armed = 1;
			send_one();
			armed = 0;
		}
	often = (struct itimerval){0};
	setitimer(ITIMER_REAL, &often, NULL);
	struct scp_causal_count before = count_of(1);
	uint64_t sent = progress().completed;
	s->delay = DELAY;
	send_some(100);
	SHOULD(count_of(1).calls == before.calls + 100);
	SHOULD(count_of(1).delayed + skipped() >= before.delayed + 100);
	SHOULD(progress().completed == sent + 100);
}

static void test_dlclose(void)
{
	struct scp_causal_site *s = enter(send_one, 1);

	s->delay = DELAY;
	for (int i = 0; i < 10; i++) {
		void *library = dlopen("libutil.so.1", RTLD_NOW);

		send_some(5);
		if (library)
			dlclose(library);
		send_some(5);
	}
	SHOULD(count_of(1).calls == 100 && count_of(1).delayed == 100);
}

static void test_forbidden(void)
{
	struct scp_causal_site *s = enter(send_one, 1);

	s->delay = DELAY;
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	send_some(5);
	SHOULD(count_of(1).calls == 0);
}

/* The same site, whoever calls: started once more it is at another address. */
static void test_again(void)
{
	for (int i = 0; i < 5; i++)
		send_at_depth(2);
}

/* Under scprof run -s srand,sem_wait: at the beginning, and at the end. */
static NOINLINE void call_selected(void)
{
	srand(1);
	NO_TAIL_CALL();
}

static NOINLINE void wait_selected(void)
{
	sem_t s;

	sem_init(&s, 0, 1);
	sem_wait(&s);
	NO_TAIL_CALL();
}

static void test_selected(void)
{
	struct scp_causal_site *s = enter(call_selected, 1), *w = enter(wait_selected, 2);

	s->delay = w->delay = DELAY;
	for (int i = 0; i < 50; i++) {
		call_selected();
		wait_selected();
	}
	SHOULD(count_of(1).calls == 50 && count_of(1).delayed == 50);
	SHOULD(count_of(2).calls == 50 && count_of(2).delayed == 50);
	SHOULD(count_of(1).units >= 50 * DELAY && count_of(2).units >= 50 * DELAY);
}

static const struct test {
	const char *name;
	void (*run)(void);
	uint32_t by;
	const char *progress;
} tests[] = {
	{"calls", test_calls, SCP_CAUSAL_BY_SITE, "send"},
	{"outcome", test_outcome, SCP_CAUSAL_BY_SITE, "recv@would-block"},
	{"errno", test_errno, SCP_CAUSAL_BY_SITE, "send"},
	{"regions", test_regions, SCP_CAUSAL_BY_SITE, "part"},
	{"points", test_points, SCP_CAUSAL_BY_SITE, "passed"},
	{"handler", test_handler, SCP_CAUSAL_BY_FUNCTION, "send"},
	{"bounds", test_bounds, SCP_CAUSAL_BY_SITE, "send"},
	{"garbage", test_garbage, SCP_CAUSAL_BY_PATH, "send"},
	{"forks", test_forks, SCP_CAUSAL_BY_SITE, "send"},
	{"dead", test_dead, SCP_CAUSAL_BY_SITE, "send"},
	{"short_threads", test_short_threads, SCP_CAUSAL_BY_SITE, "send"},
	{"many_threads", test_many_threads, SCP_CAUSAL_BY_SITE, "send"},
	{"longjmp", test_longjmp, SCP_CAUSAL_BY_SITE, "send"},
	{"dlclose", test_dlclose, SCP_CAUSAL_BY_SITE, "send"},
	{"forbidden", test_forbidden, SCP_CAUSAL_BY_SITE, "send"},
	{"again", test_again, SCP_CAUSAL_BY_PATH, "send"},
	{"selected", test_selected, SCP_CAUSAL_BY_SITE, "send"},
};

static const struct test *find_test(const char *name)
{
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		if (strcmp(tests[i].name, name) == 0)
			return &tests[i];
	die(name);
	return NULL;
}

static bool use_page(const char *path, const char *what, char **rest)
{
	if (strcmp(what, "make") == 0) {
		make_page(path,
			  !*rest			   ? SCP_CAUSAL_BY_PATH
			  : strcmp(*rest, "site") == 0	   ? SCP_CAUSAL_BY_SITE
			  : strcmp(*rest, "function") == 0 ? SCP_CAUSAL_BY_FUNCTION
							   : SCP_CAUSAL_BY_PATH,
			  "send");
	} else if (strcmp(what, "count") == 0) {
		unsigned count = 0;

		page = map(path);
		for (unsigned i = 0; i < SCP_CAUSAL_SITES; i++)
			count += page->site[i].key != 0;
		say("%u\n", count);
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct test *t;

	if (argc > 2 && use_page(argv[1], argv[2], argv + 3))
		return 0;
	if (argc < 4)
		die("arguments");
	t = find_test(argv[3]);
	if (argc == 4) {
		char *again[] = {argv[0], argv[1], argv[2], argv[3], (char *)"inside", NULL};

		make_page(argv[1], t->by, t->progress);
		setenv("SCPROF_CAUSAL", argv[1], 1);
		setenv("LD_PRELOAD", argv[2], 1);
		execv("/proc/self/exe", again);
		die("execv");
	}
	page_path = argv[1];
	page = map(page_path);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		die("socketpair");
	int room = 1 << 20;
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	t->run();
	return wrong;
}
