// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a program may close every descriptor it did not open, at any time,
 * and finds the numbers free again: the library keeps none open. */
#include "collector/machine/kernel_numbers.h"
#include "target.h"

static void report_next(const char *when)
{
	int fd = open("/dev/null", O_RDONLY);

	say("%s: the next descriptor is %d\n", when, fd);
	close(fd);
}

int main(void)
{
	int pair[2];

	report_next("at the start");
	make_pair(pair);
	exchange_times(pair, 100);
	report_next("after calls");
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	report_next("after close of all");
	make_pair(pair);
	exchange_times(pair, 100);
	if (syscall(SYS_close_range, 3, ~0U, 0) < 0)
		die("close_range");
	make_pair(pair);
	for (int depth = 0; depth < 50; depth++)
		exchange_below(pair, depth);
	say("pair %d %d\n", pair[0], pair[1]);
	expect_exchanges(350);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != 1)
			close(fd);
	make_pair(pair);
	say("then pair %d %d\n", pair[0], pair[1]);
	exchange_times(pair, 100);
	close(1);
	return 0;
}
