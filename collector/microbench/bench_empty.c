// SPDX-License-Identifier: GPL-3.0-or-later
/* The empty command: an ELF file of one segment that makes one system call, exit(0).
 * What it takes is what the kernel needs to start, run and reap any process; what
 * `true` takes beyond it is its loader and C library. It lies in memory, so that
 * nothing need be installed. */
#include "collector/microbench/bench_subject.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

int bench_empty_program(char *path, size_t size)
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
