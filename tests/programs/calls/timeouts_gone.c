// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a timeout is read where the original reads it, or not at all. Once a wait is under way
 * another thread unmaps the page that its timeout is in; and one was never anywhere. */
#include "target.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>

static int epoll;

static int in_ppoll(const struct timespec *t)
{
	return ppoll(NULL, 0, t, NULL);
}

static int in_pselect(const struct timespec *t)
{
	return pselect(0, NULL, NULL, NULL, t, NULL);
}

#if __GLIBC_PREREQ(2, 35)
static int in_epoll_pwait2(const struct timespec *t)
{
	struct epoll_event event;

	return epoll_pwait2(epoll, &event, 1, t, NULL);
}
#else
#define in_epoll_pwait2 NULL
#endif

static int (*const ways[])(const struct timespec *) = {in_ppoll, in_pselect, in_epoll_pwait2};

static int main_thread_sleeps(void)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f))
		die(path);
	fclose(f);
	return !strncmp(strrchr(line, ')'), ") S", 3);
}

static void *unmap(void *page)
{
	for (int seen = 0; seen < 5; seen = main_thread_sleeps() ? seen + 1 : 0)
		usleep(1000);
	if (munmap(page, 4096) != 0)
		die("munmap");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	epoll = epoll_create1(0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct timespec *t = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (!ways[i])
			continue;
		ways[i](t);
		t->tv_nsec = 200000000;
		if (pthread_create(&thread, NULL, unmap, t) != 0)
			die("pthread_create");
		say("%zu: %d\n", i, ways[i](t));
		pthread_join(thread, NULL);
	}
	expect_between("ppoll", 2, 2, 0);
	expect_between("pselect", 2, 2, 0);
	if (!ways[2])
		return 0;
	if (ways[2]((void *)8) != -1 || errno != EFAULT)
		die("a timeout at address 8");
	expect_between("epoll_pwait2", 3, 3, 0);
	return 0;
}
