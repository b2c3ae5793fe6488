// SPDX-License-Identifier: GPL-3.0-or-later
/* Plays the tool for itself: makes the page of include/scprof_causal.h, starts itself again with
 * the library, sets delays while it makes calls, and looks at what was counted. No verdict depends
 * on how long anything takes.
 *
 *	delays PAGE LIBRARY TEST
 *
 * Says what is wrong on standard output; exit status 0: nothing. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
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

static void make_page(const char *path, uint32_t by)
{
	static const char names[] = "send\0recv@would-block\0part\0passed";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(struct scp_causal_page)) != 0)
		die(path);
	close(fd);
	page = map(path);
	memcpy(page->magic, SCP_CAUSAL_MAGIC, sizeof page->magic);
	page->bytes = sizeof *page;
	page->by = by;
	page->progress_names = 4;
	memcpy(page->names, names, sizeof names);
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
	}
	return sum;
}

static struct scp_causal_progress progress_of(unsigned name)
{
	struct scp_causal_progress sum = {0};

	for (unsigned i = 0; i < SCP_CAUSAL_THREADS; i++) {
		sum.completed += page->thread[i].progress[name].completed;
		sum.units += page->thread[i].progress[name].units;
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
	uint64_t sent = progress_of(0).completed;

	for (int i = 0; i < 100; i++)
		send_one();
	SHOULD(count_of(1).calls == 100 && count_of(1).delayed == 0);
	SHOULD(progress_of(0).completed == sent + 100);
	s->delay = DELAY;
	uint64_t units = progress_of(0).units;
	for (int i = 0; i < 100; i++)
		send_one();
	SHOULD(count_of(1).calls == 200 && count_of(1).delayed == 100);
	SHOULD(count_of(1).units >= 100 * DELAY);
	SHOULD(progress_of(0).units - units >= 100 * DELAY); /* inside its duration */
	s->delay = 0;
	send_one();
	SHOULD(count_of(1).calls == 201 && count_of(1).delayed == 100);
	r->delay = DELAY;
	for (int i = 0; i < 300; i++) {
		receive_one();
		SHOULD(errno == (i < 201 ? 0 : EAGAIN));
	}
	SHOULD(count_of(2).calls == 300 && count_of(2).delayed == 300);
	SHOULD(progress_of(1).completed == 300 - 201); /* recv@would-block */
	SHOULD(progress_of(1).units >= 99 * DELAY);
	SHOULD(skipped() == 0);
}

static const struct test {
	const char *name;
	void (*run)(void);
	uint32_t by;
} tests[] = {
	{"calls", test_calls, SCP_CAUSAL_BY_SITE},
};

static const struct test *find_test(const char *name)
{
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		if (strcmp(tests[i].name, name) == 0)
			return &tests[i];
	die(name);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct test *t;

	if (argc < 4)
		die("arguments");
	t = find_test(argv[3]);
	if (argc == 4) {
		char *again[] = {argv[0], argv[1], argv[2], argv[3], (char *)"inside", NULL};

		make_page(argv[1], t->by);
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
