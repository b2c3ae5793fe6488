// SPDX-License-Identifier: GPL-3.0-or-later
/* generated MAP: calls send from machine code made at run time, as a just-in-time
 * compiler does, and writes to MAP what perf would read of it: the function, and below
 * it one that lay at the same place before. */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* push %rbp; mov $send, %rax; call *%rax; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0xb8, 0,    0,	   0,	 0,   0,
				     0,	   0,	 0,    0xff, 0xd0, 0x5d, 0xc3};
#define ADDRESS_AT 3

typedef ssize_t sender(int fd, const void *bytes, size_t count, int flags);

int main(int argc, char **argv)
{
	unsigned char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sender *original = send;
	FILE *map;
	int fd[2];

	if (argc != 2 || made == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		err(1, "generated");
	memcpy(made, code, sizeof(code));
	memcpy(made + ADDRESS_AT, &original, sizeof(original));
	for (int i = 0; i < 20; i++)
		if (((sender *)(uintptr_t)made)(fd[0], "x", 1, 0) != 1)
			err(1, "send");
	map = fopen(argv[1], "w");
	if (!map)
		return 2;
	fprintf(map, "no line of a map\n%lx 1000 thrown_away\n", (unsigned long)made);
	fprintf(map, "%lx %zx JIT::\"made\" at runtime;\n", (unsigned long)made, sizeof(code));
	return fclose(map) == EOF;
}
