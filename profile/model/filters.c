// SPDX-License-Identifier: GPL-3.0-or-later
/* Files of one model should have had the same filters; where not, it has the texts of all, and says
 * that they differ. */

#include <string.h>

#include "profile/model/model.h"

static const char *next_text(const struct profile *p, const char *text)
{
	const char *end = p->filters + p->filters_bytes;

	text = text ? text + strlen(text) + 1 : p->filters;
	return text < end ? text : NULL;
}

const char *filters_text(const struct profile *p, const char *key, const char *after)
{
	size_t bytes = strlen(key);
	const char *text = after;

	while ((text = next_text(p, text)))
		if (!strncmp(text, key, bytes))
			return text + bytes;
	return NULL;
}

static bool has_text(const struct profile *p, const char *text)
{
	for (const char *t = NULL; (t = next_text(p, t));)
		if (!strcmp(t, text))
			return true;
	return false;
}

void filters_note(struct profile *p, const char *text)
{
	uint32_t bytes = (uint32_t)strlen(text) + 1;

	if (has_text(p, text) || bytes > sizeof p->filters - p->filters_bytes)
		return;
	memcpy(p->filters + p->filters_bytes, text, bytes);
	p->filters_bytes += bytes;
}

static void add_texts(struct profile *p, const struct scp_header *h)
{
	for (uint32_t at = 0; at < h->filters_bytes;) {
		const char *text = h->filters + at;

		filters_note(p, text);
		at += (uint32_t)strlen(text) + 1;
	}
}

/* A file without recording intervals was recorded as long as its processes lived. */
static void add_recorded(struct profile *p, const struct scp_header *h)
{
	uint64_t lived = h->end_mono_ns > h->start_mono_ns ? h->end_mono_ns - h->start_mono_ns : 0;

	if (h->flags & SCP_FILE_MERGED && h->recorded_of_ns)
		lived = h->recorded_of_ns;
	uint64_t recorded = h->flags & SCP_FILE_WINDOWS ? h->recorded_ns : lived;
	p->recorded_of_ns += lived;
	p->recorded_ns += recorded < lived ? recorded : lived;
	PROF_MOST(p, h, windows);
}

void filters_add(struct profile *p, const struct scp_header *h)
{
	bool first = !p->index->has_clock;
	bool same = p->filters_bytes == h->filters_bytes &&
		    !memcmp(p->filters, h->filters, h->filters_bytes);

	if (!first && !same)
		p->flags |= SCP_FILE_FILTERS_DIFFER;
	add_texts(p, h);
	add_recorded(p, h);
}

/* Totals of processes: the last reading less the first. */

/* *to += last - first. False: the file contradicts itself, or the sum has no room. */
static bool add_used(uint64_t *to, uint64_t first, uint64_t last)
{
	return last >= first && !__builtin_add_overflow(*to, last - first, to);
}

/* In a sandbox the library does not ask any more: the totals end there, and the calls do not. */
static uint64_t known_of(const struct scp_header *h)
{
	bool merged = h->flags & SCP_FILE_MERGED;
	/* Killed, or read, before there was a second reading: of its first moment alone. */
	bool none = h->end_state == SCP_END_RUNNING &&
		    h->usage_last.mono_ns - h->usage_first.mono_ns < SCP_USAGE_EVERY_NS;

	return (h->losses.sandboxed || none) && !merged
		       ? 0
		       : h->usage_first.known & h->usage_last.known;
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
