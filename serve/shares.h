// SPDX-License-Identifier: GPL-3.0-or-later
/* How many files of each user are open. Whoever has most gives way to who has fewer. */
#ifndef SCPROF_SERVE_SHARES_H
#define SCPROF_SERVE_SHARES_H

#include <stddef.h>

#include <uthash.h>

struct share {
	unsigned uid;
	size_t files;
	UT_hash_handle hh;
};

/* One more of the user's, and one less. when out of memory he is not counted: he has no share
 * to give, and takes one from the others as if it were his first. */
void shares_add(struct share **shares, unsigned uid);
void shares_remove(struct share **shares, unsigned uid);

size_t shares_of(struct share *shares, unsigned uid);

/* The one who has most; NULL: nobody has any. */
const struct share *shares_most(const struct share *shares);

#endif
