// SPDX-License-Identifier: GPL-3.0-or-later
/* Names for the steps of a loop, as short as they can be and still differ. */
#include <inttypes.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/text/text.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

int text_loop_steps_begin(struct step_names *n, const struct report *r)
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

void text_loop_steps_end(struct step_names *n, const struct report *r)
{
	forget(n, r);
	free(n->brief);
	free(n->full);
	free(n->twin);
	free(n->sites);
}

/* A pair of points has an arrow in its name: "received -> parsed". */
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

const char *text_loop_steps_full_name(struct step_names *n, struct text *t, uint32_t site)
{
	if (!n->full[site])
		n->full[site] = numbered(text_path_site_label(t, site, ""), n->twin[site]);
	return n->full[site];
}

const char *text_loop_steps_name(struct step_names *n, struct text *t, uint32_t site,
				 const char *when_none)
{
	const struct report *r = t->report;
	const char *full;

	if (site >= r->sites)
		return when_none;
	if (n->brief[site])
		return n->brief[site];
	if (n->sites[r->site[site].function] > 1) {
		full = text_loop_steps_full_name(n, t, site);
		n->brief[site] = full ? bracketed(strdup(full)) : NULL;
	} else {
		n->brief[site] = bracketed(text_path_function_label(t, site));
	}
	return n->brief[site];
}

struct named {
	const char *name;
	uint32_t site;
	uint32_t row;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int c = strcmp(a->name, b->name);

	return c ? c : a->row < b->row ? -1 : a->row > b->row;
}

/* Calls of one function on one line of the source, or in code without lines: numbered in the
 * order of their rows. */
static void number_twins(struct step_names *n, struct named *named, uint32_t count)
{
	if (count)
		qsort(named, count, sizeof(*named), compare_named);
	for (uint32_t i = 1; i < count; i++)
		if (!strcmp(named[i].name, named[i - 1].name)) {
			uint32_t *before = &n->twin[named[i - 1].site];

			*before = *before ? *before : 1;
			n->twin[named[i].site] = *before + 1;
		}
}

int text_loop_steps_choose(struct step_names *n, struct text *t, const struct loop *l)
{
	const struct report *r = t->report;
	struct named *named = calloc((size_t)l->rows + 1, sizeof(*named));
	uint32_t count = 0;
	int status = named ? 0 : -1;

	forget(n, r);
	memset(n->sites, 0, r->profile->functions * sizeof(*n->sites));
	memset(n->twin, 0, r->sites * sizeof(*n->twin));
	for (uint32_t i = 0; i < l->rows; i++)
		if (l->row[i].kind == LOOP_STATE)
			n->sites[r->site[l->row[i].from].function]++;
	for (uint32_t i = 0; !status && i < l->rows; i++) {
		uint32_t site = l->row[i].from;

		if (l->row[i].kind != LOOP_STATE || n->sites[r->site[site].function] < 2)
			continue;
		named[count] = (struct named){text_loop_steps_full_name(n, t, site), site, i};
		status = named[count++].name ? 0 : -1;
	}
	if (!status) {
		number_twins(n, named, count);
		forget(n, r); /* they have no numbers yet */
	}
	free(named);
	return status;
}

/* A loop as a line: states with their times, arrows with those of the gaps. */

#define INDENT 2

/* A token is never broken, and shortened only if it is wider than a line. */
static int print_token(struct text *t, size_t *at, const char *token)
{
	size_t room = t->terminal.width - INDENT;
	char *fits = utf8_shorten(token, room, t->terminal.utf8);
	size_t columns;

	if (!fits)
		return -1;
	columns = utf8_width(fits);
	if (*at > INDENT && *at + 1 + columns > t->terminal.width) {
		fputc('\n', t->out);
		*at = 0;
	}
	fprintf(t->out, "%*s%s", *at ? 1 : INDENT, "", fits);
	*at = (*at ? *at + 1 : INDENT) + columns;
	free(fits);
	return 0;
}

static int print_state(struct text *t, struct step_names *n, size_t *at, const struct loop_row *row)
{
	const char *name = text_loop_steps_name(n, t, row->from, "");
	char mean[32], *token = NULL;
	int status;

	if (!name)
		return -1;
	numbers_duration(mean, sizeof(mean), row->estimate.mean, t->terminal.utf8);
	if (asprintf(&token, "%s %s", name, mean) < 0)
		return -1;
	status = print_token(t, at, token);
	free(token);
	return status;
}

static int print_arrow(struct text *t, size_t *at, const struct loop_row *row)
{
	const char *tail = t->terminal.utf8 ? "─" : "--", *head = t->terminal.utf8 ? "→" : "-->";
	char token[96], mean[32], chance[32];
	size_t used = 0;

	numbers_duration(mean, sizeof(mean), row->estimate.mean, t->terminal.utf8);
	numbers_permille(chance, sizeof(chance), row->chance);
	/* There is no gap between adjacent points to show. */
	if (row->total_ns != 0)
		used = (size_t)snprintf(token, sizeof(token), "%s %s ", tail, mean);
	if (row->chance < 1000)
		snprintf(token + used, sizeof(token) - used, "%s (%s)", head, chance);
	else
		snprintf(token + used, sizeof(token) - used, "%s", head);
	return print_token(t, at, token);
}

/* The edge by which a way goes on, of those from row `i` on before the next state. */
static const struct loop_row *way_on(const struct loop *l, const struct loop_cycle *c, uint32_t i)
{
	for (; i < c->row + c->rows && l->row[i].kind == LOOP_EDGE; i++)
		if (l->row[i].way)
			return &l->row[i];
	return NULL;
}

int text_loop_steps_line(struct text *t, struct step_names *n, const struct loop *l,
			 const struct loop_cycle *c, uint32_t way)
{
	const struct loop_row *edge = way_on(l, c, c->row);
	const char *more = t->terminal.utf8 ? "…" : "..", *end;
	uint32_t states = 0;
	size_t at = 0;

	if (!c->closed &&
	    (print_token(t, &at, "(thread start)") < 0 || (edge && print_arrow(t, &at, edge) < 0)))
		return -1;
	for (uint32_t i = c->row; i < c->row + c->rows; i++) {
		const struct loop_row *row = &l->row[i];

		if (row->kind != LOOP_STATE || row->way != way)
			continue;
		if (print_state(t, n, &at, row) < 0)
			return -1;
		edge = way_on(l, c, i + 1);
		if (edge && print_arrow(t, &at, edge) < 0)
			return -1;
		states++;
	}
	end = edge ? text_loop_steps_name(n, t, edge->to, "(thread end)") : "";
	if (!end || (*end && print_token(t, &at, end) < 0) ||
	    (states < c->way_states[way - 1] && print_token(t, &at, more) < 0))
		return -1;
	fputc('\n', t->out);
	return 0;
}
