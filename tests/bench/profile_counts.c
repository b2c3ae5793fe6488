// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints what a profile holds: CALLS PATHS SITES ONCE GAPS, where sites are the different call
 * paths of functions, ONCE those of one call, and GAPS the records of times between two sites.
 *
 * Usage: profile_counts PROFILE
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

int main(int argc, char **argv)
{
	uint64_t calls = 0, once = 0;
	struct profile_error error;
	struct profile *p;

	if (argc != 2)
		errx(2, "usage: profile_counts PROFILE");
	p = profile_open((const char *const *)argv + 1, 1, &error);
	if (!p)
		errx(2, "%s", error.text);
	for (uint32_t i = 0; i < p->entries; i++) {
		calls += p->entry[i].sums.calls;
		once += p->entry[i].sums.calls == 1;
	}
	printf("%llu %u %u %llu %u\n", (unsigned long long)calls, p->paths, p->entries,
	       (unsigned long long)once, p->gaps);
	profile_free(p);
	return 0;
}
