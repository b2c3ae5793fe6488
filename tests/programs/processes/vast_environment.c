// SPDX-License-Identifier: GPL-3.0-or-later
/* A process whose environment is 2 GB of zeros, as far as /proc shows: it says so, and then waits
 * to be killed. "none": the kernel does not let it. */
#include <linux/prctl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define BYTES (UINT64_C(2) << 30)
#define FIRST 3 /* field of /proc/self/stat behind the name */
#define LAST  52

int main(void)
{
	char text[4096] = "", *at;
	__u64 field[LAST + 1] = {0};
	FILE *stat = fopen("/proc/self/stat", "r");
	char *zeros =
		mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!stat || !fgets(text, sizeof(text), stat) || !(at = strrchr(text, ')')) ||
	    zeros == MAP_FAILED)
		return 1;
	fclose(stat);
	at += strlen(") S");
	for (int i = FIRST + 1; i <= LAST; i++)
		field[i] = strtoull(at, &at, 10);
	const struct prctl_mm_map map = {.start_code = field[26],
					 .end_code = field[27],
					 .start_data = field[45],
					 .end_data = field[46],
					 .start_brk = field[47],
					 .brk = (uintptr_t)sbrk(0),
					 .start_stack = field[28],
					 .arg_start = field[48],
					 .arg_end = field[49],
					 .env_start = (uintptr_t)zeros,
					 .env_end = (uintptr_t)zeros + BYTES,
					 .exe_fd = (__u32)-1};

	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		return puts("none") < 0;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}
