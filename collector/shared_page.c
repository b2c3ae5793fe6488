// SPDX-License-Identifier: GPL-3.0-or-later
/* A named file cannot be sealed, and must have a name: processes of other users and of containers
 * find it by that. So whoever may write it can cut it, and the next access would be a SIGBUS. The
 * handler makes it as long as it was, for the targets' sake as well as for ours; where that does
 * not help, the page becomes memory of our own. It was reserved before it was mapped: a sparse page
 * on a full disk is a SIGBUS, too. */
#include "collector/shared_page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES	8
#define REPAIRS 3

static struct page {
	char *at; /* NULL: unused */
	size_t bytes;
	int fd;
	unsigned faults;
} pages[PAGES];

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static struct page *find_page(const void *address)
{
	for (int i = 0; i < PAGES; i++) {
		char *at = __atomic_load_n(&pages[i].at, __ATOMIC_ACQUIRE);

		if (at && (uintptr_t)address - (uintptr_t)at < pages[i].bytes)
			return &pages[i];
	}
	return NULL;
}

/* Returns to the access, which is made again. What a process sends (si_code is 0 or less) comes
 * from no access: it is sent again. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	struct page *p = find_page(info->si_addr);
	int error = errno;

	(void)context;
	if (info->si_code <= 0) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (!p)
		signal(number, SIG_DFL);
	else if ((__atomic_add_fetch(&p->faults, 1, __ATOMIC_RELAXED) > REPAIRS ||
		  ftruncate(p->fd, (off_t)p->bytes)) &&
		 mmap(p->at, p->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(number, SIG_DFL);
	errno = error;
}

static int watch(char *at, size_t bytes, int fd)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
	int r = -1;

	pthread_mutex_lock(&guard);
	for (int i = 0; i < PAGES && r; i++)
		if (!pages[i].at && !(r = sigaction(SIGBUS, &action, NULL))) {
			pages[i].bytes = bytes;
			pages[i].fd = fd;
			pages[i].faults = 0;
			__atomic_store_n(&pages[i].at, at, __ATOMIC_RELEASE);
		}
	pthread_mutex_unlock(&guard);
	if (r)
		munmap(at, bytes);
	return r;
}

void *shared_page_create(const char *path, size_t bytes, mode_t mode)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), error;
	void *mapped = MAP_FAILED;

	if (fd < 0)
		return NULL;
	errno = posix_fallocate(fd, 0, (off_t)bytes);
	if (!errno && !fchmod(fd, mode))
		mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped != MAP_FAILED && !watch(mapped, bytes, fd))
		return mapped;
	error = mapped == MAP_FAILED ? errno : ENOMEM;
	close(fd);
	unlink(path);
	errno = error;
	return NULL;
}

bool shared_page_was_cut(const void *page)
{
	const struct page *p = find_page(page);
	struct stat st;

	return p && (__atomic_load_n(&p->faults, __ATOMIC_RELAXED) || fstat(p->fd, &st) ||
		     st.st_size < (off_t)p->bytes);
}

void shared_page_remove(void *page, const char *path)
{
	struct page *p = find_page(page);

	unlink(path);
	if (!p)
		return;
	munmap(page, p->bytes);
	close(p->fd);
	__atomic_store_n(&p->at, NULL, __ATOMIC_RELEASE);
}

int shared_page_start_thread(pthread_t *thread, void *(*body)(void *argument), void *argument)
{
	sigset_t all, before;

	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(thread, NULL, body, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}
