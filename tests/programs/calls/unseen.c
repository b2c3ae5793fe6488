// SPDX-License-Identifier: GPL-3.0-or-later
/* unseen HOW: of 400 reads 300 by libc's read, of 800 writes 200 by libc's write, all else by
 * direct system calls. HOW: exit; _exit; exec (itself, "exit"); fork (the child does the same);
 * stopped (while recording is stopped it does as much once more); aio, mapped (300 reads of a file
 * that are no read, beside 100 that are); for-ever (read, and nothing else). */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scprof.h"

static int file;
static char byte;

static void check(long done)
{
	if (done != 1)
		_exit(3);
}

static void work(void)
{
	for (int i = 0; i < 300; i++)
		check(read(file, &byte, 1));
	for (int i = 0; i < 100; i++)
		check(syscall(SYS_read, file, &byte, 1));
	for (int i = 0; i < 200; i++)
		check(write(file, &byte, 1));
	for (int i = 0; i < 600; i++)
		check(syscall(SYS_write, file, &byte, 1));
}

static void work_by_aio(const char *name)
{
	aio_context_t context = 0;
	int fd = open(name, O_RDONLY);
	struct iocb want = {.aio_lio_opcode = IOCB_CMD_PREAD,
			    .aio_fildes = (unsigned)fd,
			    .aio_buf = (unsigned long)&byte,
			    .aio_nbytes = 1};
	struct iocb *list[] = {&want};
	struct io_event done;

	check(syscall(SYS_io_setup, 1, &context) == 0);
	for (int i = 0; i < 300; i++) {
		check(syscall(SYS_io_submit, context, 1, list));
		check(syscall(SYS_io_getevents, context, 1, 1, &done, NULL));
	}
	for (int i = 0; i < 100; i++)
		check(read(fd, &byte, 1));
}

static void work_by_map(const char *name)
{
	int fd = open(name, O_RDONLY);
	const volatile char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	check(map != MAP_FAILED);
	for (int i = 0; i < 300; i++)
		byte = map[i];
	for (int i = 0; i < 100; i++)
		check(read(fd, &byte, 1));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";

	file = open("/dev/zero", O_RDWR);
	if (!strcmp(how, "aio"))
		work_by_aio(argv[0]);
	else if (!strcmp(how, "mapped"))
		work_by_map(argv[0]);
	else if (!strcmp(how, "for-ever"))
		for (;;)
			check(read(file, &byte, 1));
	else
		work();
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "exec"))
		execl(argv[0], argv[0], "exit", NULL);
	if (!strcmp(how, "fork")) {
		if (fork() == 0)
			work();
		else
			wait(NULL);
	}
	if (!strcmp(how, "stopped")) {
		SCPROF_STOP;
		work();
		SCPROF_START;
		check(write(file, &byte, 1)); /* the library looks at the next call */
	}
	return 0;
}
