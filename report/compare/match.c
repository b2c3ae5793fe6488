// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are matched by key; then rows of one side only, with the same functions but other lines,
 * are paired in their order. */
#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

static void clear_row(const struct match *m, struct match_row *r)
{
	for (uint32_t i = 0; r->sums && i < m->profiles; i++)
		sums_clear(&r->sums[i]);
	free(r->sums);
}

/* The row of an entry. NULL: out of memory. */
static struct match_row *row_of(struct match *m, enum report_by by, uint32_t profile,
				const struct prof_entry *e)
{
	char *key, *loose;

	if (match_key_make(m, by, profile, e, &key, &loose) < 0)
		return NULL;
	uint32_t number = string_index_take(&m->keys, key);
	uint32_t loose_number = string_index_take(&m->loose_keys, loose);
	if (loose_number == STRING_INDEX_NONE ||
	    !array_reach((void **)&m->row, &m->room, number, sizeof(*m->row), 0))
		return NULL;
	struct match_row *r = &m->row[number];
	if (number < m->rows)
		return r;
	m->rows++;
	r->key = m->keys.text[number];
	r->loose = m->loose_keys.text[loose_number];
	r->sums = calloc(m->profiles, sizeof(*r->sums));
	return r->sums ? r : NULL;
}

static int add_entry(struct match *m, enum report_by by, uint32_t profile, uint32_t entry)
{
	const struct prof_entry *e = &m->profile[profile]->entry[entry];

	/* begun, but not yet returned; or no call of --below */
	if (!e->sums.calls || profile_leaves_out(m->profile[profile], e->path))
		return 0;
	struct match_row *r = row_of(m, by, profile, e);
	if (!r)
		return -1;
	*(profile < m->bases ? &r->in_base : &r->in_new) = true;
	r->profile = profile;
	r->entry = entry;
	return sums_add(&r->sums[profile], &e->sums);
}

/* Matched rows last; the others by loose key, side and key, so that candidates are adjacent, each
 * side's in the order of the code. */
ARRAY_COMPARE(by_loose_key, struct match_row,
	      ARRAY_ORDER(a->in_base && a->in_new, b->in_base && b->in_new)
		      ?: strcmp(a->loose, b->loose)
		      ?: ARRAY_ORDER(a->in_new, b->in_new) ?: strcmp(a->key, b->key))

static void join_rows(struct match *m, struct match_row *base, struct match_row *new)
{
	for (uint32_t i = m->bases; i < m->profiles; i++) {
		base->sums[i] = new->sums[i];
		new->sums[i] = (struct prof_sums){0};
	}
	base->in_new = base->moved = true;
	PROF_SET(base, new, profile, entry);
	clear_row(m, new);
	new->key = NULL; /* to be dropped */
}

/* From the row `first` on: those of its loose key on one side only. Returns the first
 * row of another kind. */
static uint32_t pair_group(struct match *m, uint32_t first)
{
	const char *loose = m->row[first].loose;
	uint32_t base = first, end;

	while (base < m->rows && !m->row[base].in_new && !strcmp(m->row[base].loose, loose))
		base++;
	end = base;
	while (end < m->rows && !m->row[end].in_base && !strcmp(m->row[end].loose, loose))
		end++;
	if (base > first && base - first == end - base)
		for (uint32_t i = first; i < base; i++)
			join_rows(m, &m->row[i], &m->row[i + (base - first)]);
	return end > first ? end : first + 1;
}

static void pair_moved(struct match *m)
{
	uint32_t kept = 0;

	ARRAY_SORT(m->row, m->rows, by_loose_key);
	for (uint32_t i = 0; i < m->rows && !(m->row[i].in_base && m->row[i].in_new);)
		i = pair_group(m, i);
	for (uint32_t i = 0; i < m->rows; i++)
		if (m->row[i].key)
			m->row[kept++] = m->row[i];
	m->rows = kept;
}

static int fill(struct match *m, enum report_by by)
{
	for (uint32_t i = 0; i < m->profiles; i++) {
		m->symbols[i] = symbolize_new(m->profile[i]);
		if (!m->symbols[i])
			return -1;
	}
	if (match_modules_build(m) < 0)
		return -1;
	for (uint32_t i = 0; i < m->profiles; i++)
		for (uint32_t k = 0; k < m->profile[i]->entries; k++)
			if (add_entry(m, by, i, k) < 0)
				return -1;
	if (m->rows)
		pair_moved(m);
	return match_modules_report(m);
}

struct match *match_build(const struct profile *const *profile, uint32_t profiles, uint32_t bases,
			  enum report_by by)
{
	struct match *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->profile = profile;
	m->profiles = profiles;
	m->bases = bases;
	m->symbols = calloc(profiles, sizeof(struct symbolizer *));
	if (m->symbols && fill(m, by) == 0)
		return m;
	match_free(m);
	return NULL;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->rows; i++)
		clear_row(m, &m->row[i]);
	free(m->row);
	for (uint32_t i = 0; m->symbols && i < m->profiles; i++)
		if (m->symbols[i])
			symbolize_free(m->symbols[i]);
	free(m->symbols);
	match_modules_clear(m);
	string_index_clear(&m->keys);
	string_index_clear(&m->loose_keys);
	free(m->vague);
	free(m);
}
