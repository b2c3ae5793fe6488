// SPDX-License-Identifier: GPL-3.0-or-later
/* What this machine, this session and a program allow scprof to do, each tried or read just now,
 * why it is less than expected, and what would change that. */
#pragma once

#include <stddef.h>

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,	/* nothing is missing, but worth knowing */
	DOCTOR_LIMITED, /* something works less well, or not at all; profiling does */
	DOCTOR_MISSING	/* `scprof run` cannot profile (the program, or anything) */
};

struct doctor_check {
	const char *name; /* static text */
	enum doctor_level level;
	char found[512];
	char remedy[512]; /* "" where there is nothing to do */
};

#define DOCTOR_MOST 32
struct doctor {
	struct doctor_check check[DOCTOR_MOST];
	size_t count;
};

/* Takes some hundredths of a second; starts short processes of its own, never `program` (NULL:
 * no program is asked about). Leaves no file behind. */
void doctor_examine(struct doctor *d, const char *program);

/* The worst level of all checks. */
enum doctor_level doctor_worst(const struct doctor *d);

const char *doctor_level_name(enum doctor_level level);
