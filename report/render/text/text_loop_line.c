// SPDX-License-Identifier: GPL-3.0-or-later
/* A loop as a line: states with their times, arrows with those of the gaps. */
#include "report/render/text/text_loop.h"

#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

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
	const char *name = text_loop_names_name(n, t, row->from, "");
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

int text_loop_line_print(struct text *t, struct step_names *n, const struct loop *l,
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
	end = edge ? text_loop_names_name(n, t, edge->to, "(thread end)") : "";
	if (!end || (*end && print_token(t, &at, end) < 0) ||
	    (states < c->way_states[way - 1] && print_token(t, &at, more) < 0))
		return -1;
	fputc('\n', t->out);
	return 0;
}
