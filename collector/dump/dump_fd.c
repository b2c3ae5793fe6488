// SPDX-License-Identifier: GPL-3.0-or-later
/* Which descriptor a system call waits for, by its arguments, and what that is, by /proc. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/dump/dump_private.h"
#include "profile/base/kernel_file.h"
#include "profile/base/words.h"

#define LISTENS	  10 /* TCP_LISTEN */
#define WATCHED	  65536
#define PROCESSES 4096

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

/* A line of /proc/PID/net/tcp and the like has the socket's own and its peer's address as its
 * second and third word, the state behind them, and the inode as the tenth; of unix the inode as
 * the seventh, and perhaps a path behind. */
static bool take_socket(const char *line, const char *protocol, unsigned long inode,
			struct dump_fd *fd)
{
	char own[64], peer[64], from[64], to[64];
	unsigned long found = 0;
	unsigned state;
	int end = 0;

	if (sscanf(line, "%*s %63[0-9A-F:] %63[0-9A-F:] %x %*s %*s %*s %*s %*s %lu", own, peer,
		   &state, &found) == 4) {
		put_address(own, from, sizeof(from));
		put_address(peer, to, sizeof(to));
		if (found == inode && strspn(peer, "0:") == strlen(peer))
			snprintf(fd->what, sizeof(fd->what), "%s %s%s", protocol, from,
				 state == LISTENS ? ", which listens" : "");
		else if (found == inode)
			snprintf(fd->what, sizeof(fd->what), "%s %s from %s", protocol, to, from);
	} else if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu%n", &found, &end) == 1 &&
		   found == inode) {
		snprintf(fd->what, sizeof(fd->what), "unix socket%.*s",
			 (int)strcspn(line + end, "\n"), line + end);
	}
	return found == inode;
}

/* By the process's own network namespace. */
static void find_socket(pid_t pid, unsigned long inode, struct dump_fd *fd)
{
	static const char *const files[] = {"tcp", "tcp6", "udp", "udp6", "unix"};
	bool found = false;
	char line[512];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !found; i++) {
		FILE *f = kernel_file_open("/proc/%d/net/%s", (int)pid, files[i]);

		while (f && !found && fgets(line, sizeof(line), f))
			found = take_socket(line, *files[i] == 't' ? "TCP" : "UDP", inode, fd);
		if (f)
			fclose(f);
	}
}

static bool has_open(pid_t pid, const char *link)
{
	DIR *d = kernel_file_folder("/proc/%d/fd", (int)pid);
	bool found = false;
	char other[64];
	int fd;

	while (!found && (fd = kernel_file_next(&d)) >= 0)
		found = !kernel_file_link(other, sizeof(other), "/proc/%d/fd/%d", (int)pid, fd) &&
			!strcmp(link, other);
	kernel_file_leave(&d);
	return found;
}

/* Of the processes whose descriptors may be seen. */
static void find_sharer(pid_t pid, const char *link, struct dump_fd *fd)
{
	DIR *d = kernel_file_folder("/proc");
	char name[32];
	pid_t one;

	snprintf(fd->what, sizeof(fd->what), "a pipe that no other process has");
	for (int i = 0; i < PROCESSES && (one = kernel_file_next(&d)) >= 0; i++) {
		if (one == pid || one == getpid() || !has_open(one, link))
			continue;
		kernel_file_line(name, sizeof(name), "/proc/%d/comm", (int)one);
		snprintf(fd->what, sizeof(fd->what), "a pipe shared with process %d (%s)", (int)one,
			 name);
		break;
	}
	kernel_file_leave(&d);
}

void dump_fd_find(const struct dump *d, struct dump_thread *t)
{
	struct dump_fd *fd = &t->fd;
	unsigned long inode = 0;
	char link[160], text[WATCHED];

	fd->number = number_of(d->pid, t);
	if (fd->number < 0 ||
	    kernel_file_link(link, sizeof(link), "/proc/%d/fd/%d", (int)d->pid, fd->number))
		return;
	snprintf(fd->kind, sizeof(fd->kind), "%.*s", *link == '/' ? 4 : (int)strcspn(link, ":"),
		 *link == '/' ? "file" : link);
	snprintf(fd->what, sizeof(fd->what), "%s", link);
	if (sscanf(link, "socket:[%lu]", &inode) == 1)
		find_socket(d->pid, inode, fd);
	else if (!strcmp(fd->kind, "pipe"))
		find_sharer(d->pid, link, fd);
	else if (sscanf(link, "anon_inode:[%23[^]]", fd->kind) == 1 &&
		 !strcmp(fd->kind, "eventpoll")) {
		int count = 0;

		kernel_file_text(text, sizeof(text), "/proc/%d/fdinfo/%d", (int)d->pid, fd->number);
		for (const char *at = text; (at = strstr(at, "\ntfd:")); at++)
			count++;
		snprintf(fd->what, sizeof(fd->what), "%d descriptor%s", count,
			 count == 1 ? "" : "s");
	}
}
