// SPDX-License-Identifier: GPL-3.0-or-later
/* Each table has its own slowest calls, as many as were asked for; so the slowest of all
 * tables are among them. Where files were asked for different things that holds only for
 * the calls that all of them would have kept: the list is marked as mixed.
 */
#include "profile/model/model.h"

#include <stdlib.h>
#include <string.h>

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Longest first; ties by when and by whom. */
static int compare(const void *left, const void *right)
{
	const struct prof_slowest *a = left, *b = right;
	int order = by_number(b->units, a->units);

	order = order ? order : by_number(a->ended_real_ns, b->ended_real_ns);
	order = order ? order : by_number(a->began_at, b->began_at);
	order = order ? order : by_number(a->pid, b->pid);
	order = order ? order : by_number(a->tid, b->tid);
	return order ? order : by_number(a->entry, b->entry);
}

static void join_asked(struct profile *p, const struct scp_slowest_asked *asked)
{
	struct scp_slowest_asked *all = &p->slowest_asked;
	bool first = p->index->files == 0;

	if (!first && (asked->count != all->count || asked->least_ns != all->least_ns))
		all->flags |= SCP_SLOWEST_MIXED;
	if (asked->count > all->count)
		all->count = asked->count;
	if (asked->least_ns > all->least_ns)
		all->least_ns = asked->least_ns;
	all->flags |= asked->flags & (SCP_SLOWEST_MIXED | SCP_SLOWEST_UNREAD | SCP_SLOWEST_CHOSEN);
	all->lost += asked->lost;
}

void slowest_join(struct profile *p, const struct scp_slowest_asked *asked, uint32_t first,
		  double ns_per_unit)
{
	uint32_t kept = first;

	join_asked(p, asked);
	/* The target did not know the threshold exactly. */
	for (uint32_t i = first; i < p->slowests; i++)
		if ((double)p->slowest[i].units * ns_per_unit >= (double)asked->least_ns)
			p->slowest[kept++] = p->slowest[i];
	p->slowests = kept;
	if (p->slowests > 1)
		qsort(p->slowest, p->slowests, sizeof *p->slowest, compare);
	if (p->slowests > p->slowest_asked.count)
		p->slowests = p->slowest_asked.count;
}
