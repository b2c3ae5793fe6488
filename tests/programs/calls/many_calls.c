// SPDX-License-Identifier: GPL-3.0-or-later
/* Makes N exchanges from one place and ends. Usage: many_calls N */
#include "target.h"

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 100000;
	int pair[2];

	make_pair(pair);
	exchange_times(pair, calls);
	say("calls %ld\n", calls);
	expect_exchanges(calls);
	return 0;
}
