// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are matched by key; then rows of one side only, with the same functions but other lines,
 * are paired in their order. */
#define HASH_NONFATAL_OOM 1
#include "report/compare/match.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct found {
	struct match_row row;
	UT_hash_handle hh;
};

static struct found *new_row(struct match *m, char *key, char *loose)
{
	struct found *f = calloc(1, sizeof(*f));

	if (f)
		f->row.sums = calloc(m->profiles, sizeof(*f->row.sums));
	if (!f || !f->row.sums) {
		free(f);
		return NULL;
	}
	f->row.key = key;
	f->row.loose = loose;
	return f;
}

static void clear_row(struct match *m, struct match_row *r)
{
	for (uint32_t i = 0; r->sums && i < m->profiles; i++)
		sums_clear(&r->sums[i]);
	free(r->sums);
	free(r->key);
	free(r->loose);
}

static int add_entry(struct match *m, struct found **all, const struct match_modules *modules,
		     enum report_by by, uint32_t profile, uint32_t entry)
{
	const struct prof_entry *e = &m->profile[profile]->entry[entry];
	char *key, *loose;
	struct found *f;

	if (!e->sums.calls)
		return 0; /* begun, but not yet returned */
	if (match_key_make(m, modules, by, profile, e, &key, &loose) < 0)
		return -1;
	HASH_FIND_STR(*all, key, f);
	if (f) {
		free(key);
		free(loose);
	} else {
		f = new_row(m, key, loose);
		if (!f) {
			free(key);
			free(loose);
			return -1;
		}
		HASH_ADD_KEYPTR(hh, *all, f->row.key, strlen(f->row.key), f);
		if (!f->hh.tbl) {
			clear_row(m, &f->row);
			free(f);
			return -1;
		}
	}
	if (profile < m->bases)
		f->row.in_base = true;
	else
		f->row.in_new = true;
	f->row.profile = profile;
	f->row.entry = entry;
	return sums_add(&f->row.sums[profile], &e->sums);
}

static int add_entries(struct match *m, struct found **all, const struct match_modules *modules,
		       enum report_by by)
{
	for (uint32_t i = 0; i < m->profiles; i++)
		for (uint32_t k = 0; k < m->profile[i]->entries; k++)
			if (add_entry(m, all, modules, by, i, k) < 0)
				return -1;
	return 0;
}

/* Matched rows last; the others by loose key, side and key, so that candidates are adjacent, each
 * side's in the order of the code. */
static int by_loose_key(const void *left, const void *right)
{
	const struct match_row *a = left, *b = right;
	bool both_a = a->in_base && a->in_new, both_b = b->in_base && b->in_new;
	int c;

	if (both_a != both_b)
		return both_a ? 1 : -1;
	c = strcmp(a->loose, b->loose);
	if (!c)
		c = (int)a->in_new - (int)b->in_new;
	return c ? c : strcmp(a->key, b->key);
}

static void join_rows(struct match *m, struct match_row *base, struct match_row *new)
{
	for (uint32_t i = m->bases; i < m->profiles; i++) {
		base->sums[i] = new->sums[i];
		new->sums[i] = (struct prof_sums){0};
	}
	base->in_new = base->moved = true;
	base->profile = new->profile;
	base->entry = new->entry;
	clear_row(m, new);
	new->key = NULL; /* to be dropped */
}

/* From the row `first` on: those of its loose key on one side only. Returns the first
 * row of another kind. */
static uint32_t pair_group(struct match *m, uint32_t first)
{
	uint32_t base = first, end;

	while (base < m->rows && !m->row[base].in_new &&
	       !strcmp(m->row[base].loose, m->row[first].loose))
		base++;
	end = base;
	while (end < m->rows && !m->row[end].in_base &&
	       !strcmp(m->row[end].loose, m->row[first].loose))
		end++;
	if (base > first && base - first == end - base)
		for (uint32_t i = first; i < base; i++)
			join_rows(m, &m->row[i], &m->row[i + (base - first)]);
	return end > first ? end : first + 1;
}

static void pair_moved(struct match *m)
{
	uint32_t kept = 0;

	qsort(m->row, m->rows, sizeof(*m->row), by_loose_key);
	for (uint32_t i = 0; i < m->rows && !(m->row[i].in_base && m->row[i].in_new);)
		i = pair_group(m, i);
	for (uint32_t i = 0; i < m->rows; i++)
		if (m->row[i].key)
			m->row[kept++] = m->row[i];
	m->rows = kept;
}

static int collect_rows(struct match *m, struct found *all)
{
	m->row = calloc(HASH_COUNT(all) + 1, sizeof(*m->row));
	if (!m->row)
		return -1;
	for (struct found *f = all; f; f = f->hh.next)
		m->row[m->rows++] = f->row;
	pair_moved(m);
	return 0;
}

static int fill(struct match *m, enum report_by by)
{
	struct match_modules *modules = match_modules_build(m);
	struct found *all = NULL, *f, *next;
	int status = -1;

	if (!modules)
		return -1;
	if (add_entries(m, &all, modules, by) == 0 && match_modules_report(modules, m) == 0)
		status = collect_rows(m, all);
	HASH_ITER(hh, all, f, next)
	{
		HASH_DEL(all, f);
		/* cppcheck-suppress uninitvar ; it does not know HASH_ITER */
		if (!m->row)
			clear_row(m, &f->row);
		free(f);
	}
	match_modules_free(modules);
	return status;
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
	for (uint32_t i = 0; m->symbols && i < profiles; i++) {
		m->symbols[i] = symbolize_new(profile[i]);
		if (!m->symbols[i]) {
			match_free(m);
			return NULL;
		}
	}
	m->sources = match_source_build(m);
	if (!m->symbols || !m->sources || fill(m, by) < 0) {
		match_free(m);
		return NULL;
	}
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->rows; i++)
		clear_row(m, &m->row[i]);
	free(m->row);
	for (uint32_t i = 0; m->symbols && i < m->profiles; i++)
		symbolize_free(m->symbols[i]);
	free(m->symbols);
	match_source_free(m->sources);
	for (uint32_t i = 0; i < m->vagues; i++)
		free(m->vague[i]);
	free(m->vague);
	free(m);
}
