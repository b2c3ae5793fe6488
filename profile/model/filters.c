// SPDX-License-Identifier: GPL-3.0-or-later
/* Files of one model should have had the same filters; where not, it has the texts of all, and says
 * that they differ. */
#include "profile/model/model.h"

#include <string.h>

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
	if (h->windows > p->windows)
		p->windows = h->windows;
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

void filters_store(const struct profile *p, struct scp_header *h)
{
	memcpy(h->filters, p->filters, p->filters_bytes);
	h->filters_bytes = p->filters_bytes;
	h->windows = p->windows;
	h->recorded_ns = p->recorded_ns;
	h->recorded_of_ns = p->recorded_of_ns;
}
