// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash by user; who has no file is not in it. */
#define HASH_NONFATAL_OOM 1
#include "serve/shares.h"

#include <stdlib.h>

static struct share *find(struct share *shares, unsigned uid)
{
	struct share *s;

	HASH_FIND(hh, shares, &uid, sizeof(uid), s);
	return s;
}

void shares_add(struct share **shares, unsigned uid)
{
	struct share *s = find(*shares, uid);

	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return;
		s->uid = uid;
		HASH_ADD(hh, *shares, uid, sizeof(s->uid), s);
		if (!s->hh.tbl) {
			free(s);
			return;
		}
	}
	s->files++;
}

void shares_remove(struct share **shares, unsigned uid)
{
	struct share *s = find(*shares, uid);

	if (!s || --s->files)
		return;
	HASH_DEL(*shares, s);
	free(s);
}

size_t shares_of(struct share *shares, unsigned uid)
{
	const struct share *s = find(shares, uid);

	return s ? s->files : 0;
}

const struct share *shares_most(const struct share *shares)
{
	const struct share *most = shares;

	for (const struct share *s = shares; s; s = s->hh.next)
		if (s->files > most->files)
			most = s;
	return most;
}
