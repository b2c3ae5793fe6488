// SPDX-License-Identifier: GPL-3.0-or-later
/* Three sends and receives, whatever it is called and told: as a program, by a link, as the
 * interpreter of a script. $NAMED has it begin again first, in ways that tell the kernel no name
 * (fexecve, memfd, self), or the name of a file that is gone (deleted) or below a directory that
 * is open (below); or write over the name and fork (overwrite). */
#include <libgen.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#include "target.h"

extern char **environ;

/* A copy of this very program. */
static void copy_to(int to)
{
	int from = open("/proc/self/exe", O_RDONLY);
	ssize_t n;

	if (to < 0 || from < 0)
		die("open");
	while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
		;
	if (n < 0)
		die("sendfile");
	close(from);
}

static int open_copy(const char *path)
{
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755), fd;

	copy_to(to);
	close(to);
	fd = open(path, O_RDONLY);
	if (unlink(path) < 0)
		die("unlink");
	return fd;
}

static void begin_again(const char *how, char **argv)
{
	char self[1024] = "", directory[1024];
	int fd;

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		die("readlink");
	strcpy(directory, self);
	unsetenv("NAMED");
	if (!strcmp(how, "fexecve")) {
		fexecve(open(self, O_RDONLY), argv, environ);
	} else if (!strcmp(how, "memfd")) {
		fd = memfd_create("in-memory", 0);
		copy_to(fd);
		fexecve(fd, argv, environ);
	} else if (!strcmp(how, "self")) {
		execv("/proc/self/exe", argv);
	} else if (!strcmp(how, "deleted")) {
		fexecve(open_copy("fleeting"), argv, environ);
	} else if (!strcmp(how, "below")) {
		fd = open(dirname(directory), O_RDONLY | O_DIRECTORY);
		syscall(SYS_execveat, fd, "named", argv, environ, 0);
	}
	die(how);
}

/* As programs do that show a title, and go too far. */
static void write_over_the_name(void)
{
	char *name = (char *)getauxval(AT_EXECFN);

	memset(name, 'x', strlen(name));
}

int main(int argc, char **argv)
{
	const char *how = getenv("NAMED");
	int fd[2];
	pid_t child = 0;

	(void)argc;
	if (how && !strcmp(how, "overwrite")) {
		write_over_the_name();
		child = fork();
		if (child < 0)
			die("fork");
	} else if (how) {
		begin_again(how, argv);
	}
	make_pair(fd);
	for (int i = 0; i < 3; i++)
		exchange(fd);
	if (child > 0)
		waitpid(child, NULL, 0);
	say("%s\n", how ? how : "named");
	return 0;
}
