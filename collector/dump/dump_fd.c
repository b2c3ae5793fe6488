// SPDX-License-Identifier: GPL-3.0-or-later
/* Which descriptor a system call waits for, by its arguments, and what that is, by /proc. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/dump/dump_private.h"
#include "profile/base/array.h"
#include "profile/base/kernel_file.h"
#include "profile/base/words.h"

#define LISTENS	    10 /* TCP_LISTEN */
#define PROCESSES   4096
#define DESCRIPTORS (1 << 20) /* of all of them */

static const char *const call_names[] = {
#include "collector/dump/call_names.inc"
};

const char *dump_call_name(long call)
{
	size_t names = sizeof(call_names) / sizeof(*call_names);

	return call >= 0 && (size_t)call < names ? call_names[call] : NULL;
}

/* -1: the call has none, or several. */
static int number_of(pid_t pid, const struct dump_thread *t)
{
	static const char with_fd[] =
		" read readv pread64 write writev pwrite64 accept accept4 connect recvfrom recvmsg "
		"recvmmsg sendto sendmsg sendmmsg epoll_wait epoll_pwait epoll_pwait2 fsync "
		"fdatasync flock fcntl ioctl getdents64 sendfile splice ";
	const char *name = dump_call_name(t->call);
	struct pollfd one = {.fd = -1};

	if (!name)
		return -1;
	if (words_have(with_fd, " ", name))
		return (int)t->argument[0];
	if (words_have("poll ppoll", " ", name) && t->argument[1] == 1 &&
	    !memory_read(pid, t->argument[0], &one, sizeof(one)))
		one.fd = -1;
	return one.fd;
}

/* "0100007F:1F90", or 32 digits: words in the byte order of the machine. */
static void put_address(const char *hex, char *to, size_t room)
{
	size_t words = strcspn(hex, ":") / 8;
	char text[INET6_ADDRSTRLEN] = "?";
	uint32_t word[4] = {0};
	unsigned port = 0;

	for (size_t i = 0; i < words && i < 4; i++)
		sscanf(hex + 8 * i, "%8x", &word[i]);
	sscanf(hex + strcspn(hex, ":"), ":%x", &port);
	inet_ntop(words == 1 ? AF_INET : AF_INET6, word, text, sizeof(text));
	snprintf(to, room, words == 1 ? "%s:%u" : "[%s]:%u", text, port);
}

/* A link that a thread's descriptor is, and of which more is to be told. */
struct wanted {
	char link[32]; /* "socket:[123]", "pipe:[123]"; "epoll:[12]", a descriptor */
	struct dump_fd *fd;
	bool told;
};

struct links {
	struct wanted *at; /* in order */
	size_t count;
	bool sockets, pipes;
};

ARRAY_COMPARE(by_link, struct wanted, strcmp(a->link, b->link))

/* The first of those with this link; NULL: there is none, or it is told. */
static struct wanted *find(const struct links *l, const char *link)
{
	size_t i;

	BISECT(i, l->count, strcmp(l->at[i].link, link) < 0);
	return i < l->count && !strcmp(l->at[i].link, link) && !l->at[i].told ? &l->at[i] : NULL;
}

static void tell(const struct links *l, struct wanted *w, const char *what)
{
	const char *link = w->link;

	for (; w < l->at + l->count && !strcmp(w->link, link); w++) {
		snprintf(w->fd->what, sizeof(w->fd->what), "%s", what);
		w->told = true;
	}
}

/* A line of /proc/PID/net/tcp and the like has the socket's own and its peer's address as its
 * second and third word, the state behind them, and the inode as the tenth; of unix the inode as
 * the seventh, and perhaps a path behind. */
static void take_socket(const struct links *l, const char *line, const char *protocol)
{
	char own[64], peer[64], from[64], to[64], link[32], what[200];
	unsigned long inode = 0;
	unsigned state;
	int end = 0;
	bool unix_one = sscanf(line, "%*s %63[0-9A-F:] %63[0-9A-F:] %x %*s %*s %*s %*s %*s %lu",
			       own, peer, &state, &inode) != 4;

	if (unix_one && sscanf(line, "%*s %*s %*s %*s %*s %*s %lu%n", &inode, &end) != 1)
		return;
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	struct wanted *w = find(l, link);
	if (!w)
		return;
	if (unix_one) {
		snprintf(what, sizeof(what), "unix socket%.*s", (int)strcspn(line + end, "\n"),
			 line + end);
		tell(l, w, what);
		return;
	}
	put_address(own, from, sizeof(from));
	put_address(peer, to, sizeof(to));
	if (strspn(peer, "0:") == strlen(peer))
		snprintf(what, sizeof(what), "%s %s%s", protocol, from,
			 state == LISTENS ? ", which listens" : "");
	else
		snprintf(what, sizeof(what), "%s %s from %s", protocol, to, from);
	tell(l, w, what);
}

/* By the process's own network namespace. */
static void name_sockets(const struct links *l, pid_t pid)
{
	static const char *const files[] = {"tcp", "tcp6", "udp", "udp6", "unix"};
	char line[512];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		FILE *f = kernel_file_open("/proc/%d/net/%s", (int)pid, files[i]);

		while (f && fgets(line, sizeof(line), f))
			take_socket(l, line, *files[i] == 't' ? "TCP" : "UDP");
		if (f)
			fclose(f);
	}
}

/* *left: of the descriptors that may be looked at. */
static void name_pipes_of(const struct links *l, pid_t pid, int *left)
{
	DIR *d = kernel_file_folder("/proc/%d/fd", (int)pid);
	char link[64], name[32], what[80];
	struct wanted *w;
	int fd;

	while (*left > 0 && (fd = kernel_file_next(&d)) >= 0) {
		*left -= 1;
		if (kernel_file_link(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd) ||
		    !(w = find(l, link)))
			continue;
		kernel_file_line(name, sizeof(name), "/proc/%d/comm", (int)pid);
		snprintf(what, sizeof(what), "a pipe shared with process %d (%s)", (int)pid, name);
		tell(l, w, what);
	}
	kernel_file_leave(&d);
}

/* Of the processes whose descriptors may be seen. */
static void name_pipes(const struct links *l, pid_t pid)
{
	DIR *d = kernel_file_folder("/proc");
	int left = DESCRIPTORS;
	pid_t one;

	for (int i = 0; i < PROCESSES && (one = kernel_file_next(&d)) >= 0; i++)
		if (one != pid && one != getpid())
			name_pipes_of(l, one, &left);
	bool all = !d && left > 0; /* else there are more */
	kernel_file_leave(&d);
	for (size_t i = 0; i < l->count; i++)
		if (!strncmp(l->at[i].link, "pipe:", 5) && !l->at[i].told)
			tell(l, &l->at[i],
			     all ? "a pipe that no other process that can be seen has"
				 : "a pipe that none of the processes looked at has");
}

/* How many descriptors each one watches. */
static void name_epolls(const struct links *l, pid_t pid)
{
	char line[512], what[48];
	int left = DESCRIPTORS;

	for (size_t i = 0; i < l->count; i++) {
		if (strncmp(l->at[i].link, "epoll:", 6) != 0 || l->at[i].told)
			continue;
		FILE *f = kernel_file_open("/proc/%d/fdinfo/%d", (int)pid, l->at[i].fd->number);
		int count = 0;

		for (; f && left > 0 && fgets(line, sizeof(line), f); left--)
			count += !strncmp(line, "tfd:", 4);
		if (f)
			fclose(f);
		snprintf(what, sizeof(what), "%s%d descriptor%s", left ? "" : "more than ", count,
			 count == 1 ? "" : "s");
		tell(l, &l->at[i], what);
	}
}

void dump_fd_find(const struct dump *d, struct dump_thread *t)
{
	struct dump_fd *fd = &t->fd;
	char link[160];

	fd->number = number_of(d->pid, t);
	if (fd->number < 0)
		return;
	/* by another thread, or the call has just ended */
	if (kernel_file_link(link, sizeof(link), "/proc/%d/fd/%d", (int)d->pid, fd->number)) {
		strcpy(fd->kind, "closed");
		strcpy(fd->what, "a descriptor closed meanwhile");
		return;
	}
	snprintf(fd->kind, sizeof(fd->kind), "%.*s", *link == '/' ? 4 : (int)strcspn(link, ":"),
		 *link == '/' ? "file" : link);
	snprintf(fd->what, sizeof(fd->what), "%s", link);
	if (sscanf(link, "anon_inode:[%23[^]]", fd->kind) == 1 && !strcmp(fd->kind, "eventpoll"))
		snprintf(fd->what, sizeof(fd->what), "epoll:[%d]", fd->number);
}

void dump_fd_name(struct dump *d)
{
	struct links l = {.at = calloc(d->threads + 1, sizeof(*l.at))};

	if (!l.at)
		return;
	for (size_t i = 0; i < d->threads; i++) {
		struct dump_fd *fd = &d->thread[i].fd;
		bool is_socket = !strncmp(fd->what, "socket:[", 8),
		     is_pipe = !strncmp(fd->what, "pipe:[", 6);

		if (!is_socket && !is_pipe && strncmp(fd->what, "epoll:[", 7) != 0)
			continue;
		l.sockets |= is_socket;
		l.pipes |= is_pipe;
		snprintf(l.at[l.count].link, sizeof(l.at->link), "%.31s", fd->what);
		l.at[l.count++].fd = fd;
	}
	ARRAY_SORT(l.at, l.count, by_link);
	name_epolls(&l, d->pid);
	if (l.sockets)
		name_sockets(&l, d->pid);
	if (l.pipes)
		name_pipes(&l, d->pid);
	free(l.at);
}
