// SPDX-License-Identifier: GPL-3.0-or-later
/* Values that only the page's data has: indices, shared strings, names of columns. */
#include "report/render/html/html_write.h"

#include <math.h>
#include <string.h>

#include "report/model/model.h"

void html_write_index(struct html *h, const char *key, uint32_t n)
{
	json_write_integer(&h->json, key, n == UINT32_MAX ? -1 : (int64_t)n);
}

void html_write_string(struct html *h, const char *key, const char *raw)
{
	html_write_index(h, key, string_index_add(&h->strings, raw));
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

void html_write_doubts(struct html *h, const char *key, unsigned unreliable)
{
	char names[160];

	reliability_names(unreliable, names, sizeof(names));
	html_write_string(h, key, *names ? names : NULL);
}

void html_write_pair(struct html *h, const char *name, const char *words)
{
	json_write_texts(&h->json, NULL, (const char *const[]){name, words}, 2);
}

void html_write_texts(struct html *h, const char *first, const char *second, const char *third)
{
	json_write_texts(&h->json, NULL, (const char *const[]){first, second, third}, 3);
}

void html_write_warnings(struct html *h, const struct report_warning *warning, uint32_t warnings)
{
	json_write_open(&h->json, "warnings", '[');
	for (uint32_t i = 0; i < warnings; i++)
		html_write_texts(h, warning[i].code, warning[i].text, warning[i].brief);
	json_write_close(&h->json, ']');
}

void html_write_strings(struct html *h)
{
	json_write_texts(&h->json, "strings", (const char *const *)h->strings.text,
			 h->strings.count);
}

void html_write_limits(struct html *h, double mean, double low, double high)
{
	json_write_number(&h->json, NULL, mean);
	json_write_number(&h->json, NULL, low);
	json_write_number(&h->json, NULL, high);
}

void html_write_interval(struct html *h, double mean, double low, double high)
{
	html_write_limits(h, mean, low, high);
	json_write_rough(&h->json, NULL, mean > 0 ? low / mean - 1 : NAN);
	json_write_rough(&h->json, NULL, mean > 0 ? high / mean - 1 : NAN);
}

void html_write_tree(struct html *h, const char *key, const struct pairs *tree,
		     const uint32_t *text)
{
	json_write_open(&h->json, key, '[');
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct pair *node = &tree->pair[i];

		json_write_count(&h->json, NULL, node->a == PAIRS_NONE ? 0 : i - node->a);
		html_write_index(h, NULL, text ? text[node->b] : node->b);
	}
	json_write_close(&h->json, ']');
}
