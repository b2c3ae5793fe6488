// SPDX-License-Identifier: GPL-3.0-or-later
/* hostile_maps DIRECTORY REGIONS: a process whose memory map lies: files whose names hold newlines
 * and escape sequences, files by the names of the library, of its pages and of libc that are
 * none, or whose tables lead anywhere, thousands of regions. It calls read and write all the while.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 16384

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* The file, mapped as a loader would: its head to be read, all of it as code. */
static void map_file(const char *name, const void *content, size_t bytes)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0700);
	char *at;

	if (fd < 0 || ftruncate(fd, BYTES) || pwrite(fd, content, bytes, 0) != (ssize_t)bytes) {
		perror(name);
		exit(1);
	}
	at = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED)
		mprotect(at + 4096, BYTES - 4096, PROT_READ | PROT_EXEC);
	mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
}

/* An object whose numbers are wild, but so that each next table is looked at. */
static void map_object(const char *name)
{
	static const uint64_t likely[] = {0,	      1,	  8,	     0x1000,	    0x2000,
					  0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX - 7};
	uint64_t bytes[BYTES / 8];
	Elf64_Ehdr *e = (Elf64_Ehdr *)bytes;
	Elf64_Phdr *p = (Elf64_Phdr *)(e + 1);
	Elf64_Dyn *d = (Elf64_Dyn *)((char *)bytes + 0x1800);
	static const int64_t tags[] = {DT_SYMTAB, DT_STRTAB,   DT_STRSZ,  DT_GNU_HASH,
				       DT_HASH,	  DT_SONAME,   DT_VERSYM, DT_DEBUG,
				       DT_JMPREL, DT_PLTRELSZ, DT_RELA};

	for (size_t i = 0; i < BYTES / 8; i++)
		bytes[i] = next() % 4 ? likely[next() % (sizeof(likely) / 8)] : next();
	memcpy(e->e_ident, ELFMAG, SELFMAG);
	e->e_ident[EI_CLASS] = ELFCLASS64;
	e->e_ident[EI_DATA] = ELFDATA2LSB;
	e->e_type = ET_DYN;
	e->e_machine = EM_X86_64;
	e->e_phoff = sizeof(*e);
	e->e_phentsize = sizeof(*p);
	e->e_phnum = 4;
	p[0] = (Elf64_Phdr){PT_LOAD, PF_R, 0, 0, 0, 0x1000, 0x1000, 0x1000};
	p[1] = (Elf64_Phdr){PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, 0x1000, 0x3000, 0x3000, 0x1000};
	p[2] = (Elf64_Phdr){PT_DYNAMIC, PF_R, 0x1800, 0x1800, 0x1800, 0x200, 0x200, 8};
	p[3] = (Elf64_Phdr){PT_GNU_EH_FRAME, PF_R, 0x1400, 0x1400, 0x1400, 0x200, 0x200, 8};
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		d[i] = (Elf64_Dyn){.d_tag = tags[i],
				   .d_un.d_val = next() % 2 ? next() % BYTES : next()};
	d[sizeof(tags) / sizeof(*tags)].d_tag = DT_NULL;
	memcpy((char *)bytes + 0x1400, "\x01\x1b\x03\x3b", 4);
	map_file(name, bytes, sizeof(bytes));
}

static void map_pages(void)
{
	static char page[8192] = "SCPWAK1\n\0\x20", control[4096] = "SCPCTL1\n";

	control[64] = 1;
	mkdir("scprof.x", 0700);
	map_file("scprof.x/control", control, sizeof(control));
	(void)!truncate("scprof.x/control", sizeof(control));
	map_file("scprof.hostile.1.wake", page, sizeof(page));
	mkfifo("scprof.fifo.1.wake.new", 0600);
	rename("scprof.fifo.1.wake.new", "scprof.hostile.1.wake"); /* under the name of the page */
}

static void map_regions(long regions)
{
	for (long i = 0; i < regions; i++) /* of turning protection, so that none are joined */
		if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED)
			break;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"plain\nscprof: all is well",
					    "\033[2J\033]0;title\007",
					    "x\r\b\b\302\233",
					    "libscprof.so.new",
					    "a (deleted)",
					    "%s%n%p"};
	int fd = open("/dev/zero", O_RDWR);
	char byte;

	if (argc < 3 || chdir(argv[1]))
		return 2;
	prctl(PR_SET_NAME, "\033[31m\nevil\033");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		map_object(names[i]);
	for (int i = 0; i < 64; i++) {
		char name[32];

		snprintf(name, sizeof(name), "object%d.so", i);
		map_object(name);
	}
	mkfifo("object0.so.new", 0600); /* what lies under a name is another thing by now */
	rename("object0.so.new", "object0.so");
	(void)!symlink("/dev/zero", "object1.so.new");
	rename("object1.so.new", "object1.so");
	(void)!truncate("object2.so", 0);
	map_pages();
	if (argc > 3)
		map_object(argv[3]);
	map_regions(strtol(argv[2], NULL, 10));
	puts("begun");
	fflush(stdout);
	for (;;) {
		if (read(fd, &byte, 1) != 1 || write(fd, &byte, 1) != 1)
			return 1;
		usleep(100);
	}
}
