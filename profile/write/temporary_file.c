// SPDX-License-Identifier: GPL-3.0-or-later
/* The handler makes system calls only, and lets the signal do what it would have done. A file
 * without a name (O_TMPFILE) would need no handler, but NFS and FUSE have none. */
#include "profile/write/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGXFSZ};
#define ENDINGS (sizeof(ending) / sizeof(*ending))

/* Changed while all signals are blocked in the thread that writes. */
static struct {
	const char *volatile name;
	pid_t maker;
	struct sigaction before[ENDINGS];
} guard;

static void give_back(void)
{
	for (size_t i = 0; i < ENDINGS; i++)
		sigaction(ending[i], &guard.before[i], NULL);
}

/* A child that was forked meanwhile does not own the file. */
static void remove_and_end(int number)
{
	if (guard.name && getpid() == guard.maker)
		unlink(guard.name);
	guard.name = NULL;
	give_back();
	raise(number); /* comes when this handler has ended */
}

static void begin(const char *name)
{
	struct sigaction action = {.sa_handler = remove_and_end};

	if (guard.name)
		return;
	sigfillset(&action.sa_mask);
	guard.maker = getpid();
	guard.name = name;
	for (size_t i = 0; i < ENDINGS; i++) {
		sigaction(ending[i], NULL, &guard.before[i]);
		if (guard.before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
}

static void block_all(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void finish(struct partial *p)
{
	sigset_t before;

	block_all(&before);
	if (guard.name == p->name) {
		guard.name = NULL;
		give_back();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(p->name);
	p->name = NULL;
}

int temporary_file_create(struct partial *p, const char *path)
{
	sigset_t before;
	int fd, error;

	*p = (struct partial){.path = path};
	if (asprintf(&p->name, "%s.XXXXXX", path) < 0) {
		p->name = NULL;
		errno = ENOMEM;
		return -1;
	}
	block_all(&before);
	fd = mkostemp(p->name, O_CLOEXEC | O_NOFOLLOW);
	error = errno;
	if (fd >= 0)
		begin(p->name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fd < 0) {
		free(p->name);
		p->name = NULL;
		errno = error;
	}
	return fd;
}

int temporary_file_keep(struct partial *p)
{
	if (rename(p->name, p->path)) {
		temporary_file_drop(p);
		return -1;
	}
	finish(p);
	return 0;
}

void temporary_file_drop(struct partial *p)
{
	int error = errno;

	unlink(p->name);
	finish(p);
	errno = error;
}
