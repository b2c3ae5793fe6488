// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash by user, who stays in it until the time is paid for. */
#include "report/serve/agent/agent.h"

#include <stdlib.h>

static struct share *find(struct share *shares, unsigned uid)
{
	struct share *s;

	HASH_FIND(hh, shares, &uid, sizeof(uid), s);
	return s;
}

/* NULL: out of memory. */
static struct share *find_or_add(struct share **shares, unsigned uid)
{
	struct share *s = find(*shares, uid);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->uid = uid;
	HASH_ADD(hh, *shares, uid, sizeof(s->uid), s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

bool shares_has_time(struct share *shares, unsigned uid, uint64_t now_ns)
{
	const struct share *s = find(shares, uid);

	return !s || s->paid_ns < now_ns + SHARES_BURST_NS * (SHARES_PART - 1);
}

void shares_spend(struct share **shares, unsigned uid, uint64_t now_ns, uint64_t took_ns)
{
	struct share *s = find_or_add(shares, uid);
	const uint64_t began_ns = now_ns - took_ns;

	if (s)
		s->paid_ns =
			(s->paid_ns > began_ns ? s->paid_ns : began_ns) + took_ns * SHARES_PART;
}

static void forget(struct share **shares, struct share *s)
{
	HASH_DEL(*shares, s);
	free(s);
}

void shares_tend(struct share **shares, uint64_t now_ns)
{
	for (struct share *s = *shares, *next; s; s = next) {
		next = s->hh.next;
		if (s->paid_ns <= now_ns)
			forget(shares, s);
	}
}

void shares_free(struct share **shares)
{
	for (struct share *s = *shares, *next; s; s = next) {
		next = s->hh.next;
		forget(shares, s);
	}
}
