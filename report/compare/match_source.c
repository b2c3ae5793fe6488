// SPDX-License-Identifier: GPL-3.0-or-later
/* Files of interpreted languages under one name on all sides. They move: a release has a folder of
 * its own, another host another home, and the next interpreter another library. So a file of a
 * library is called by its path below the library's folder; one of the program by its last part,
 * or by the last two where a profile has two of that name. */
#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>

#include "report/containers/string_index.h"
#include "report/symbols/symbolize_source.h"
#include "report/wording/utf8.h"

struct match_sources {
	struct string_index bases; /* last parts of the program's files */
	bool *shared;		   /* by those: a profile has two files of it */
};

static const char *last_two(const char *path)
{
	const char *base = base_name(path), *at = base;

	while (at > path + 1 && at[-2] != '/')
		at--;
	return at > path + 1 ? at - 1 : path;
}

static int note_bases(struct match_sources *s, const struct profile *p)
{
	size_t most = (size_t)s->bases.count + p->source_functions + 1;
	const char **path = calloc(most, sizeof(*path));
	bool *shared = path ? realloc(s->shared, most * sizeof(*shared)) : NULL;
	uint32_t before = s->bases.count;

	if (!shared) {
		free(path);
		return -1;
	}
	memset(shared + before, 0, (most - before) * sizeof(*shared));
	s->shared = shared;
	for (uint32_t i = 0; i < p->source_functions; i++) {
		const char *file = p->source_function[i].file;
		uint32_t base = string_index_add(&s->bases, base_name(file));

		if (base == STRING_INDEX_NONE)
			break;
		if (symbolize_source_library(file))
			continue;
		shared[base] |= path[base] && strcmp(path[base], file) != 0;
		path[base] = file;
	}
	free(path);
	return s->bases.failed ? -1 : 0;
}

struct match_sources *match_source_build(const struct match *m)
{
	struct match_sources *s = calloc(1, sizeof(*s));

	for (uint32_t i = 0; s && i < m->profiles; i++)
		if (note_bases(s, m->profile[i]) < 0) {
			match_source_free(s);
			return NULL;
		}
	return s;
}

void match_source_free(struct match_sources *s)
{
	if (!s)
		return;
	string_index_clear(&s->bases);
	free(s->shared);
	free(s);
}

const char *match_source_file(struct match_sources *s, const char *file)
{
	const char *library = symbolize_source_library(file);
	uint32_t base;

	if (library)
		return library;
	base = string_index_add(&s->bases, base_name(file));
	return base != STRING_INDEX_NONE && s->shared[base] ? last_two(file) : base_name(file);
}
