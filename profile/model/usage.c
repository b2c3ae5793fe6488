// SPDX-License-Identifier: GPL-3.0-or-later
/* Totals of processes: the last reading less the first. */
#include "profile/model/model.h"

/* *to += last - first. False: the file contradicts itself, or the sum has no room. */
static bool add_used(uint64_t *to, uint64_t first, uint64_t last)
{
	return last >= first && !__builtin_add_overflow(*to, last - first, to);
}

/* In a sandbox the library does not ask any more: the totals end there, and the calls do not. */
static uint64_t known_of(const struct scp_header *h)
{
	bool merged = h->flags & SCP_FILE_MERGED;

	return h->losses.sandboxed && !merged ? 0 : h->usage_first.known & h->usage_last.known;
}

/* Of how many processes a file says it; 0: of more than it has. */
static uint32_t processes_of(const struct scp_header *h, uint32_t of)
{
	if (!(h->flags & SCP_FILE_MERGED))
		return 1;
	return of <= h->processes ? of : 0;
}

static void add_cpu(struct profile *p, const struct scp_header *h, uint32_t of)
{
	const struct scp_usage *first = &h->usage_first, *last = &h->usage_last;
	struct scp_usage sum = p->usage;

	sum.known |= SCP_USAGE_CPU;
	if (of && !__builtin_add_overflow(of, p->usage_cpu_of, &of) &&
	    add_used(&sum.cpu_ns, first->cpu_ns, last->cpu_ns) &&
	    add_used(&sum.voluntary, first->voluntary, last->voluntary) &&
	    add_used(&sum.involuntary, first->involuntary, last->involuntary)) {
		p->usage = sum;
		p->usage_cpu_of = of;
	}
}

static void add_io(struct profile *p, const struct scp_header *h, uint32_t of)
{
	const struct scp_usage *first = &h->usage_first, *last = &h->usage_last;
	struct scp_usage sum = p->usage;

	sum.known |= SCP_USAGE_IO;
	if (of && !__builtin_add_overflow(of, p->usage_io_of, &of) &&
	    add_used(&sum.reads, first->reads, last->reads) &&
	    add_used(&sum.writes, first->writes, last->writes)) {
		p->usage = sum;
		p->usage_io_of = of;
	}
}

void usage_add(struct profile *p, const struct scp_header *h)
{
	uint64_t known = known_of(h);

	if (known & SCP_USAGE_CPU)
		add_cpu(p, h, processes_of(h, h->usage_cpu_of));
	if (known & SCP_USAGE_IO)
		add_io(p, h, processes_of(h, h->usage_io_of));
}

void usage_store(const struct profile *p, struct scp_header *h)
{
	h->usage_first = (struct scp_usage){.known = p->usage.known};
	h->usage_last = p->usage;
	h->usage_cpu_of = p->usage_cpu_of;
	h->usage_io_of = p->usage_io_of;
}
