// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a descriptor number that was a socket and becomes a file is no longer
 * taken for a socket, in whatever way the socket went; and the other way round. What it becomes in
 * a child of vfork it is in that alone. */
#include "target.h"

#include <sys/wait.h>

static long socket_reads;

/* Numbers below are taken, so that what is opened next gets `fd` if it is free. */
static void take_numbers_below(int fd)
{
	int last;

	do
		last = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (last >= 0 && last < fd - 1);
	if (last != fd - 1)
		die("taking numbers");
}

static void reuse_in_child(int fd)
{
	int status = 0;
	pid_t child = vfork();

	if (child == 0) {
		if (close(fd) || open("/dev/zero", O_RDONLY) != fd)
			_exit(1);
		if (socket_reads % 16 == 1)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die("vfork");
}

static void read_byte(int fd, int peer)
{
	char c = 's';

	if (syscall(SYS_write, peer, &c, 1) != 1)
		die("write");
	if (read(fd, &c, 1) != 1 || c != 's')
		die("read of the socket");
	socket_reads++;
}

/* A socket at number `fd`, with a byte to read from its peer before and after a child's life. */
static void read_as_socket(int fd)
{
	int pair[2], peer;

	make_pair(pair);
	peer = pair[1];
	if (pair[0] != fd && (dup2(pair[0], fd) != fd || close(pair[0]) < 0))
		die("dup2");
	read_byte(fd, peer);
	reuse_in_child(fd);
	read_byte(fd, peer);
	close(peer);
}

static void close_by_stream(int fd)
{
	FILE *f = fdopen(fd, "r");

	if (!f || fclose(f))
		die("fclose");
}

static void close_by_range(int fd)
{
#if __GLIBC_PREREQ(2, 34)
	if (close_range(fd, fd, 0))
		die("close_range");
#else
	close(fd);
#endif
}

static void read_as_file(int fd)
{
	int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char c = 1;

	if (file != fd && (dup2(file, fd) != fd || close(file) < 0))
		die("dup2 of a file");
	for (int i = 0; i < 10; i++)
		if (read(fd, &c, 1) != 1 || c != 0)
			die("read of the file");
}

/* A pipe comes without a call that the library would have to know. */
static void read_as_pipe(int fd)
{
	int ends[2];
	char c = 'p';

	if (pipe(ends) < 0 || ends[0] != fd)
		die("pipe");
	if (syscall(SYS_write, ends[1], &c, 1) != 1 || read(fd, &c, 1) != 1)
		die("write and read of the pipe");
	close(ends[1]);
}

/* dup3 puts a file in the socket's place without a close. */
static void replace(int fd)
{
	int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (dup3(file, fd, O_CLOEXEC) != fd || close(file) < 0)
		die("dup3");
}

int main(void)
{
	const int fd = 20;

	take_numbers_below(fd);
	for (int i = 0; i < 10; i++) {
		read_as_socket(fd);
		close(fd);
		read_as_pipe(fd);
		read_as_socket(fd); /* dup2 over a pipe */
		read_as_file(fd);   /* dup2 over a socket */
		close(fd);
		read_as_socket(fd);
		close_by_stream(fd);
		read_as_pipe(fd);
		close(fd);
		read_as_socket(fd);
		close_by_range(fd);
		read_as_pipe(fd);
		read_as_socket(fd);
		replace(fd);
		read_as_file(fd);
		close(fd);
	}
	say("%ld reads of sockets\n", socket_reads);
	expect_calls("read", socket_reads);
	return 0;
}
