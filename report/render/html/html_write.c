// SPDX-License-Identifier: GPL-3.0-or-later
/* Values that only the page's data has: indices, shared strings, names of columns. */
#include "report/render/html/html_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/model/model.h"

void html_write_number(struct html *h, double value)
{
	json_write_number(&h->json, NULL, value);
}

void html_write_count(struct html *h, uint64_t value)
{
	json_write_count(&h->json, NULL, value);
}

void html_write_integer(struct html *h, int64_t value)
{
	json_write_integer(&h->json, NULL, value);
}

void html_write_text(struct html *h, const char *raw)
{
	html_write_integer(h, html_index(string_index_add(&h->strings, raw)));
}

void html_write_fields(struct html *h, const char *key, const char *names)
{
	json_write_open(&h->json, key, '[');
	while (*names) {
		char name[32];
		int bytes = (int)strcspn(names, " ");

		snprintf(name, sizeof(name), "%.*s", bytes, names);
		json_write_text(&h->json, NULL, name);
		names += bytes + (names[bytes] == ' ');
	}
	json_write_close(&h->json, ']');
}

void html_write_doubts(struct html *h, unsigned unreliable)
{
	html_write_text(h, unreliable ? reliability_names(unreliable, ", ").text : NULL);
}

void html_write_warnings(struct html *h, const struct report_warning *warning, uint32_t warnings)
{
	JSON_LIST(&h->json, "warnings", e, warning, warnings,
		  html_write_texts(h, e->code, e->text, e->brief));
}

int html_write_end(struct html *h, const char *tail)
{
	json_write_texts(&h->json, "strings", (const char *const *)h->strings.text,
			 h->strings.count);
	json_write_close(&h->json, '}');
	fprintf(h->json.out, "\n%s", tail);
	h->json.failed |= h->strings.failed;
	string_index_clear(&h->strings);
	return h->json.failed ? -1 : 0;
}

void html_write_bytes(struct html *h, bool known, uint64_t bytes)
{
	if (known)
		html_write_count(h, bytes);
	else
		html_write_integer(h, -1);
}

void html_write_interval(struct html *h, const struct mean_interval *m)
{
	HTML_PUT(h, m->mean, m->low, m->high);
	json_write_rough(&h->json, NULL, m->mean > 0 ? m->low / m->mean - 1 : NAN);
	json_write_rough(&h->json, NULL, m->mean > 0 ? m->high / m->mean - 1 : NAN);
}

void html_write_tree(struct html *h, const char *key, const struct pairs *tree,
		     const uint32_t *text)
{
	json_write_open(&h->json, key, '[');
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct pair *node = &tree->pair[i];

		HTML_PUT(h, node->a == PAIRS_NONE ? 0 : i - node->a,
			 html_index(text ? text[node->b] : node->b));
	}
	json_write_close(&h->json, ']');
}

bool html_lines_lack(struct html_lines *l, uint32_t frame)
{
	return array_reach((void **)&l->text, &l->room, frame, sizeof(*l->text), 0xff) &&
	       l->text[frame] == STRING_INDEX_NONE;
}

void html_lines_say(struct html *h, struct html_lines *l, uint32_t frame, char *text)
{
	l->text[frame] = string_index_take(&h->strings, text);
}

uint32_t html_lines_below(struct html *h, struct html_lines *l, uint32_t above, uint32_t frame)
{
	uint32_t line = frame < l->room ? pairs_add(&l->tree, above, frame) : PAIRS_NONE;

	h->json.failed |= line == PAIRS_NONE;
	return line;
}

void html_lines_write(struct html *h, struct html_lines *l)
{
	html_write_fields(h, "line_fields", "back text");
	html_write_tree(h, "lines", &l->tree, l->text);
	pairs_clear(&l->tree);
	free(l->text);
}
