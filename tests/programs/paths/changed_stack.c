// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes 1000 times, by few paths, but each time from another place on the stack: none of them is
 * remembered with these words. */
#include <alloca.h>
#include <unistd.h>

__attribute__((noinline)) static int write_at(unsigned turn)
{
	volatile char *lower = alloca(16 * (turn + 1));
	lower[0] = 'x';
	return write(1, (const void *)lower, 1) == 1 && lower[0];
}

int main(void)
{
	for (unsigned i = 0; i < 1000; i++)
		if (!write_at(i))
			return 1;
	return 0;
}
