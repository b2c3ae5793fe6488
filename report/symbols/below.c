// SPDX-License-Identifier: GPL-3.0-or-later
/* Local and inlined functions, those of C++, and those of interpreted and generated code all have
 * their names here, and nowhere before. The answer for a symbol is kept: paths share most of
 * theirs. */
#include "report/symbols/function_names.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/symbol_pattern.h"
#include "report/symbols/symbolize.h"
#include "report/wording/utf8.h"

enum answer { NOT_ASKED, IS_MEANT, IS_NOT_MEANT };

#define FILTERS_MOST (SCP_FILTERS_BYTES / sizeof("below=")) /* of profiles that were merged */

struct below {
	struct symbolizer *symbols;
	struct symbol_patterns filter[FILTERS_MOST];
	unsigned filters;
	uint8_t *known; /* enum answer, by number of the symbol */
	uint32_t room;
};

static bool is_named(const struct symbol_pattern *p, const char *name)
{
	return name && symbol_pattern_has_name(p, name, NULL, NULL);
}

static bool is_part_named(const struct symbol_pattern *p, const char *name)
{
	size_t stem = name ? symbolize_stem(name) : 0;
	char *proper = name && name[stem] ? strndup(name, stem) : NULL;
	bool is = is_named(p, proper);

	free(proper);
	return is;
}

/* Does a name match from one of its dots on? */
static bool ends_like(const struct symbol_pattern *p, const char *name)
{
	for (; name; name = strchr(name, '.'), name += name != NULL)
		if (is_named(p, name))
			return true;
	return false;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t bytes = strlen(end);

	return length >= bytes && !memcmp(text + length - bytes, end, bytes);
}

/* With its module before it: "srv.app.handlers.Service.reply". */
static bool is_in_module(const struct symbol_pattern *p, const struct symbol *s)
{
	size_t length = strlen(s->file);
	char *joined;

	length -= ends_in(s->file, length, ".py") ? 3 : 0;
	length -= ends_in(s->file, length, "/__init__") ? 9 : 0;
	if (asprintf(&joined, "%.*s.%s", (int)length, s->file, s->function) < 0)
		return false;
	for (size_t i = 0; i < length; i++)
		joined[i] = (char)(joined[i] == '/' ? '.' : joined[i]);
	bool is = ends_like(p, joined);
	free(joined);
	return is;
}

static bool means(const struct symbol_pattern *p, const struct symbol *s)
{
	const char *file = s->language ? s->file : s->module;

	if (p->library && (!file || !symbol_pattern_has_library(p, file, base_name(file))))
		return false;
	if (s->language)
		return ends_like(p, s->function) || (!p->library && file && is_in_module(p, s));
	return is_named(p, s->function) || is_named(p, s->brief) || is_named(p, s->linker_name) ||
	       is_part_named(p, s->linker_name);
}

/* The last pattern of a filter that matches decides. */
static bool is_meant(struct below *b, const struct symbol *s)
{
	bool meant = false;

	for (unsigned i = 0; s->function && i < b->filters; i++) {
		bool by_this = false;

		for (size_t k = 0; k < b->filter[i].count; k++) {
			struct symbol_pattern *p = &b->filter[i].list[k];

			if (!means(p, s))
				continue;
			p->matches++;
			by_this = !p->takes_out;
		}
		meant |= by_this;
	}
	return meant;
}

/* Without memory for the answer it is found again. */
static bool is_known_meant(struct below *b, const struct symbol *s)
{
	if (s->number == SYMBOL_UNNUMBERED ||
	    !array_reach((void **)&b->known, &b->room, s->number, sizeof(*b->known), NOT_ASKED))
		return is_meant(b, s);
	if (b->known[s->number] != NOT_ASKED)
		return b->known[s->number] == IS_MEANT;
	bool meant = is_meant(b, s);
	b->known[s->number] = meant ? IS_MEANT : IS_NOT_MEANT;
	return meant;
}

static bool is_below(struct below *b, const struct prof_path *path)
{
	for (uint32_t i = 0; i < path->frames; i++) {
		size_t count;
		const struct symbol *s = symbolize_frame(b->symbols, &path->frame[i], &count);

		for (size_t k = 0; k < count; k++)
			if (is_known_meant(b, &s[k]))
				return true;
	}
	return false;
}

static void note_unmatched(struct profile *p, const char *text)
{
	if (!*p->below.unmatched)
		snprintf(p->below.unmatched, sizeof(p->below.unmatched), "%s", text);
}

/* `scprof run` refuses what is no pattern, and replaces @FILE: a profile must not have a file
 * opened. */
static void read_filters(struct below *b, struct profile *p)
{
	struct profile_error ignored;

	for (const char *v = NULL;
	     b->filters < FILTERS_MOST && (v = filters_text(p, "below=", v)) != NULL;) {
		struct symbol_patterns *to = &b->filter[b->filters++];

		if (strchr(v, '@') || symbol_pattern_parse(NULL, v, to, &ignored)) {
			symbol_pattern_free(to);
			note_unmatched(p, v);
		}
	}
}

static void mark_paths(struct below *b, struct profile *p)
{
	const uint32_t cut = SCP_PATH_CUT | SCP_PATH_TRUNCATED | SCP_PATH_LIMITED |
			     SCP_PATH_SMALL_STACK | SCP_PATH_PYTHON_CUT;

	for (struct prof_path *path = p->path; path < p->path + p->paths; path++) {
		bool below = is_below(b, path);

		p->below.cut_paths += !below && (path->flags & cut);
		path->flags =
			(path->flags & ~PROF_PATH_LEFT_OUT) | (below ? 0 : PROF_PATH_LEFT_OUT);
	}
	for (uint32_t i = 0; i < p->entries; i++)
		if (profile_leaves_out(p, p->entry[i].path))
			p->below.left_out_calls += p->entry[i].sums.calls;
}

static void note_all_unmatched(const struct below *b, struct profile *p)
{
	for (unsigned i = 0; i < b->filters; i++)
		for (size_t k = 0; k < b->filter[i].count; k++)
			if (!b->filter[i].list[k].matches && !b->filter[i].list[k].takes_out)
				note_unmatched(p, b->filter[i].list[k].text);
}

void below_mark(struct profile *p)
{
	struct below b = {0};

	memset(&p->below, 0, sizeof(p->below));
	read_filters(&b, p);
	b.symbols = b.filters ? symbolize_new(p) : NULL;
	if (b.symbols) {
		p->below.filtered = true;
		mark_paths(&b, p);
		note_all_unmatched(&b, p);
	}
	symbolize_free(b.symbols);
	free(b.known);
	for (unsigned i = 0; i < b.filters; i++)
		symbol_pattern_free(&b.filter[i]);
}
