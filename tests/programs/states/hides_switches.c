// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a detector that does not see a switch is given up.
 *
 * Between its calls the program sleeps by a system call of its own and puts the rseq area back to
 * what it was, as a kernel that leaves it alone would. Without such an area it says so. */
#include "arch.h"
#include "target.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#define CALLS 2000

int main(void)
{
	const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
	struct timespec moment = {.tv_nsec = 20000};
	volatile unsigned long *field;
	int pair[2];

	make_pair(pair);
	if (!offset || !size || !*size) {
		say("no area\n");
		return 0;
	}
	field = (void *)(arch_thread_pointer() + *offset + 8);
	for (int i = 0; i < CALLS; i++) {
		unsigned long was;

		exchange(pair);
		was = *field;
		syscall(SYS_nanosleep, &moment, NULL);
		*field = was;
	}
	say("done\n");
	return 0;
}
