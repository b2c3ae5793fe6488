// SPDX-License-Identifier: GPL-3.0-or-later
/* Each site is looked at independently. It is known by its row's key, which is the same in every
 * model. */
#define HASH_NONFATAL_OOM 1
#include "report/live/precision.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct precision_site {
	uint64_t key;
	struct stopping stopping;
	unsigned unreliable; /* at the last look */
	UT_hash_handle hh;
};

void precision_free(struct precision *p)
{
	struct precision_site *s, *next;

	HASH_ITER(hh, p->known, s, next)
	{
		HASH_DEL(p->known, s);
		free(s);
	}
}

static bool is_named(const char *names, const char *function)
{
	char pattern[256];

	for (const char *at = names;; at++) {
		size_t length = strcspn(at, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, at);
		if (!fnmatch(pattern, function, 0))
			return true;
		at += length;
		if (!*at)
			return false;
	}
}

static bool is_candidate(const struct precision *p, const struct live_reader *f,
			 const struct row *r)
{
	const struct group_row *g = &f->groups.row[r->group];

	return r->run.calls && !(p->without_waits && r->waits) &&
	       (!p->names || is_named(p->names, f->profile->function[g->function].name));
}

static struct precision_site *site_of(struct precision *p, uint64_t key)
{
	struct precision_site *s;

	HASH_FIND(hh, p->known, &key, sizeof(key), s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->key = key;
	stopping_begin(&s->stopping, p->relative);
	HASH_ADD(hh, p->known, key, sizeof(s->key), s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

static int look_at(struct precision *p, const struct live_reader *f, const struct rows *r,
		   uint32_t row)
{
	struct precision_site *s = site_of(p, r->row[row].key);
	uint64_t calls = r->row[row].run.calls;
	struct row_mean run, window;

	if (!s)
		return -1;
	if (stopping_is_due(&s->stopping, calls)) {
		live_rows_means(r, f, row, &run, &window);
		stopping_look(&s->stopping,
			      &(struct stopping_look){calls, run.calls, run.mean_ns, run.low_ns,
						      run.high_ns, run.freedom, run.design,
						      run.unreliable});
		s->unreliable = run.unreliable;
	}
	p->sites++;
	if (stopping_reached(&s->stopping))
		p->reached++;
	else
		p->unreliable |= s->unreliable;
	/* if one is unknown, so is the worst */
	if (!(s->stopping.seen <= p->worst))
		p->worst = s->stopping.seen;
	return 0;
}

static bool any_works(const struct rows *r)
{
	for (uint32_t i = 0; i < r->rows; i++)
		if (r->row[i].run.calls && !r->row[i].waits)
			return true;
	return false;
}

int precision_look(struct precision *p, const struct live_reader *f, const struct rows *r)
{
	uint32_t largest = PROF_NONE;
	double total = 0;

	p->without_waits = !p->names && any_works(r);
	p->sites = p->reached = 0;
	p->worst = 0;
	p->unreliable = 0;
	for (uint32_t i = 0; i < r->rows; i++) {
		if (!is_candidate(p, f, &r->row[i]))
			continue;
		total += fmax(0, r->row[i].total_ns);
		if (largest == PROF_NONE || r->row[i].total_ns > r->row[largest].total_ns)
			largest = i;
	}
	for (uint32_t i = 0; i < r->rows; i++)
		if (is_candidate(p, f, &r->row[i]) &&
		    (i == largest || r->row[i].total_ns >= PRECISION_MAJOR * total) &&
		    look_at(p, f, r, i))
			return -1;
	if (!p->sites)
		p->worst = NAN;
	return p->sites && p->reached == p->sites;
}
