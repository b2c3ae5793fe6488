// SPDX-License-Identifier: GPL-3.0-or-later
/* What the steps of a loop are called: as short as tells them apart. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text_loop.h"

int step_names_begin(struct step_names *n, const struct report *r)
{
	n->brief = calloc((size_t)r->sites + 1, sizeof(*n->brief));
	n->full = calloc((size_t)r->sites + 1, sizeof(*n->full));
	n->twin = calloc((size_t)r->sites + 1, sizeof(*n->twin));
	n->sites = calloc((size_t)r->profile->functions + 1, sizeof(*n->sites));
	return n->brief && n->full && n->twin && n->sites ? 0 : -1;
}

static void forget(struct step_names *n, const struct report *r)
{
	for (uint32_t i = 0; n->brief && n->full && i < r->sites; i++) {
		free(n->brief[i]);
		free(n->full[i]);
		n->brief[i] = n->full[i] = NULL;
	}
}

void step_names_end(struct step_names *n, const struct report *r)
{
	forget(n, r);
	free(n->brief);
	free(n->full);
	free(n->twin);
	free(n->sites);
}

/* Of points, a name has an arrow of its own: "received -> parsed". */
static char *bracketed(char *name)
{
	char *with = NULL;

	if (!name || !strstr(name, " -> "))
		return name;
	if (asprintf(&with, "[%s]", name) < 0)
		with = NULL;
	free(name);
	return with;
}

static char *numbered(char *name, uint32_t twin)
{
	char *with = NULL;

	if (!name || !twin)
		return name;
	if (asprintf(&with, "%s #%" PRIu32, name, twin) < 0)
		with = NULL;
	free(name);
	return with;
}

const char *step_full_name(struct step_names *n, struct text *t, uint32_t site)
{
	if (!n->full[site])
		n->full[site] = numbered(text_site_label(t, site, ""), n->twin[site]);
	return n->full[site];
}

const char *step_name(struct step_names *n, struct text *t, uint32_t site, const char *when_none)
{
	const struct report *r = t->report;
	const char *full;

	if (site >= r->sites)
		return when_none;
	if (n->brief[site])
		return n->brief[site];
	if (n->sites[r->site[site].function] > 1) {
		full = step_full_name(n, t, site);
		n->brief[site] = full ? bracketed(strdup(full)) : NULL;
	} else {
		n->brief[site] = bracketed(text_function_label(t, site));
	}
	return n->brief[site];
}

static bool same_outcome(const struct report *r, uint32_t a, uint32_t b)
{
	return r->site[a].function == r->site[b].function &&
	       r->site[a].outcome == r->site[b].outcome;
}

/* Calls of one function on one line of the source, or in code without lines. */
static int number_twin(struct step_names *n, struct text *t, const uint32_t *site, uint32_t sites,
		       uint32_t i)
{
	const char *own = step_full_name(n, t, site[i]);
	uint32_t twins = 0, earlier = 0;

	for (uint32_t k = 0; own && k < sites; k++) {
		const char *other;

		if (k == i || !same_outcome(t->report, site[i], site[k]))
			continue;
		other = step_full_name(n, t, site[k]);
		if (!other)
			return -1;
		twins += !strcmp(own, other);
		earlier += !strcmp(own, other) && k < i;
	}
	n->twin[site[i]] = twins ? earlier + 1 : 0;
	return own ? 0 : -1;
}

int step_names_choose(struct step_names *n, struct text *t, const struct loop *l)
{
	const struct report *r = t->report;
	uint32_t *site = calloc((size_t)l->rows + 1, sizeof(*site)), sites = 0;
	int status = 0;

	if (!site)
		return -1;
	forget(n, r);
	memset(n->sites, 0, r->profile->functions * sizeof(*n->sites));
	memset(n->twin, 0, r->sites * sizeof(*n->twin));
	for (uint32_t i = 0; i < l->rows; i++)
		if (l->row[i].kind == LOOP_STATE) {
			site[sites++] = l->row[i].from;
			n->sites[r->site[l->row[i].from].function]++;
		}
	for (uint32_t i = 0; !status && i < sites; i++)
		if (n->sites[r->site[site[i]].function] > 1)
			status = number_twin(n, t, site, sites, i);
	free(site);
	forget(n, r); /* they have no numbers yet */
	return status;
}
