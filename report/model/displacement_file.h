// SPDX-License-Identifier: GPL-3.0-or-later
/* The account of the machine's time, from a profile or from what `scprof displace --json` writes,
 * to be shown beside the sites: for each CPU what the program, other tasks, interrupts and the host
 * took, and the uncharged time. Seconds; a number that the file does not have is NAN. */
#pragma once

#include "profile/profile.h"

enum displaced_part {
	DISPLACED_PROGRAM,   /* charged to the program */
	DISPLACED_UNCHARGED, /* uncharged time that came with the program */
	DISPLACED_OTHERS,    /* other tasks */
	DISPLACED_SCPROF,
	DISPLACED_INTERRUPTS, /* those that also occur in the idle phase, and task switches */
	DISPLACED_STOLEN,     /* stolen time */
	DISPLACED_IDLE,
	DISPLACED_REMAINDER, /* the error of the account */
	DISPLACED_PARTS
};

struct displaced_cpu {
	int cpu; /* -1: all together */
	double wall_s;
	double part_s[DISPLACED_PARTS]; /* may be negative by their errors */
	double share[DISPLACED_PARTS];	/* of wall_s */
};

struct displaced {
	struct displaced_cpu *cpu; /* all together last, where the file has that */
	uint32_t cpus;
	double confidence;
	double uncharged_s, low_s, high_s, share_of_rusage;
	char *sentence; /* what the file says in words, not clean; NULL: nothing */
	char **warning; /* likewise */
	uint32_t warnings;
};

/* NULL, and one line in `error`: unreadable, not JSON, another schema, or no CPU in it. */
struct displaced *displacement_file_read(const char *path, char *error, size_t room);
/* The account that a profile contains. NULL: it has none, or several, none of which covers the
 * whole profile; or out of memory. */
struct displaced *displacement_file_recorded(const struct profile *p, double confidence);
void displacement_file_free(struct displaced *d);
