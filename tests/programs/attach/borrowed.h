// SPDX-License-Identifier: GPL-3.0-or-later
/* What tests/programs/attach/borrowed.c says of itself, in a file that it maps. */
#ifndef BORROWED_H
#define BORROWED_H

#include <stdatomic.h>
#include <stdint.h>

struct borrowed {
	atomic_int ready;
	atomic_int failures;
	atomic_ulong rounds;
	char text[200]; /* the first failure */
};

#endif
