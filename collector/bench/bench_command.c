// SPDX-License-Identifier: GPL-3.0-or-later
/* A command: started, waited for, and its status looked at, in loops. posix_spawn is the cheapest
 * way that libc has, so that the command makes most of the time. */
#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/bench/bench_subject.h"

/* The empty command: an ELF file of one segment that makes one system call, exit(0). What it takes
 * is what the kernel needs to start, run and reap any process; what `true` takes beyond it is its
 * loader and C library. It lies in memory, so that nothing need be installed. */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const unsigned char exit_now[] = {
	0x31, 0xff,		      /* xor  %edi, %edi */
	0xb8, 0xe7, 0x00, 0x00, 0x00, /* mov  $231, %eax: exit_group */
	0x0f, 0x05,		      /* syscall */
};
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static const unsigned char exit_now[] = {
	0x00, 0x00, 0x80, 0xd2, /* mov  x0, #0 */
	0xc8, 0x0b, 0x80, 0xd2, /* mov  x8, #94: exit_group */
	0x01, 0x00, 0x00, 0xd4, /* svc  #0 */
};
#else
#error "scprof knows the programs of x86-64 and AArch64 only"
#endif

#define BASE 0x400000

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[sizeof(exit_now)];
};

static void make_image(struct image *image)
{
	*image = (struct image){
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = MACHINE,
			   .e_version = EV_CURRENT,
			   .e_entry = BASE + offsetof(struct image, code),
			   .e_phoff = offsetof(struct image, segment),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_vaddr = BASE,
			    .p_paddr = BASE,
			    .p_filesz = sizeof(struct image),
			    .p_memsz = sizeof(struct image),
			    .p_align = 0x1000},
	};
	memcpy(image->code, exit_now, sizeof(exit_now));
}

/* Its path, for posix_spawn in this process. 0, or -1 with errno. */
static int make_empty(char *path, size_t size)
{
	int fd = memfd_create("empty", MFD_CLOEXEC);
	struct image image;
	ssize_t written;

	if (fd < 0)
		return -1;
	make_image(&image);
	written = write(fd, &image, sizeof(image));
	if (written != (ssize_t)sizeof(image)) {
		close(fd);
		errno = written < 0 ? errno : ENOSPC;
		return -1;
	}
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return 0;
}

/* 0 and *status, or an errno. */
static int run_once(const char *path, char **command, int *status)
{
	pid_t pid;
	int error = posix_spawn(&pid, path, NULL, NULL, command, environ);

	if (error)
		return error;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

static int run(struct bench_subject *s, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		int status, error = run_once(s->plan->path, s->plan->command, &status);

		if (error)
			return bench_measure_refuse(
				s->record,
				error == EAGAIN || error == ENOMEM ? BENCH_FAILED : BENCH_BAD,
				"cannot run %s: %s", s->plan->path, strerror(error));
		if (status && !s->plan->any_status) {
			char how[64];

			snprintf(how, sizeof(how),
				 WIFSIGNALED(status) ? "was killed by signal %d (%s)"
						     : "ended with status %d",
				 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
				 strsignal(WTERMSIG(status)));
			return bench_measure_refuse(
				s->record, BENCH_DIED,
				"the command %s; --any-status measures it all the same", how);
		}
	}
	return 0;
}

static int run_empty(struct bench_subject *s, uint64_t calls, unsigned int turn)
{
	char *command[] = {s->empty_path, NULL};

	(void)turn;
	for (uint64_t i = 0; s->record->empty_known && i < calls; i++) {
		int status, error = run_once(s->empty_path, command, &status);

		if (error || status)
			return bench_measure_refuse(s->record, BENCH_FAILED,
						    "the empty command: %s",
						    error ? strerror(error) : "it failed");
	}
	return 0;
}

int bench_command_open(struct bench_subject *s)
{
	char *command[] = {s->empty_path, NULL};
	int status;

	/* where programs in memory may not be executed, there is none to compare with */
	s->record->empty_known = !make_empty(s->empty_path, sizeof(s->empty_path)) &&
				 !run_once(s->empty_path, command, &status) && !status;
	s->run = run;
	s->run_empty = run_empty;
	s->rusage_who = RUSAGE_CHILDREN;
	return 0;
}
