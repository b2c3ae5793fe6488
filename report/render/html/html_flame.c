// SPDX-License-Identifier: GPL-3.0-or-later
/* The boxes of the flame graph, in preorder. A box of one row has that row's numbers and only
 * names it; the others' follow in `sums`. */
#include "report/render/html/html_write.h"

#include <stdlib.h>
#include <string.h>

static bool has_row(const struct html *h, const struct flame_box *b)
{
	return b->sites == 1 && b->site < h->sites;
}

/* Kind, name, module and outcome are the same for many boxes: they are stored once. */
struct labels {
	uint32_t *number; /* in the page, by number in the flame; STRING_INDEX_NONE: none */
	const struct flame_box **first; /* by number in the page */
	uint32_t count;
};

/* In the order in which boxes need them. */
static uint32_t label_of(struct labels *labels, const struct flame_box *b)
{
	uint32_t *number = &labels->number[b->label];

	if (*number == STRING_INDEX_NONE) {
		labels->first[labels->count] = b;
		*number = labels->count++;
	}
	return *number;
}

static void put_labels(struct html *h, const struct labels *labels)
{
	html_write_fields(h, "label_fields", "kind name module outcome");
	json_write_open(&h->json, "labels", '[');
	for (uint32_t i = 0; i < labels->count; i++) {
		json_write_count(&h->json, NULL, labels->first[i]->kind);
		html_write_index(h, NULL, labels->first[i]->name);
		html_write_index(h, NULL, labels->first[i]->module);
		html_write_index(h, NULL, labels->first[i]->outcome);
	}
	json_write_close(&h->json, ']');
}

static void put_boxes(struct html *h, struct labels *labels)
{
	uint32_t sums = 0;

	html_write_fields(h, "box_fields", "depth label row");
	json_write_open(&h->json, "boxes", '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];

		json_write_count(&h->json, NULL, b->depth);
		html_write_index(h, NULL, label_of(labels, b));
		/* below 0: not a row, but -1 - the place in the sums */
		if (has_row(h, b))
			json_write_count(&h->json, NULL, b->site);
		else
			json_write_integer(&h->json, NULL, -1 - (int64_t)sums++);
	}
	json_write_close(&h->json, ']');
	put_labels(h, labels);
}

static void put_sums(struct html *h)
{
	static const char plain[] =
		"rows value share calls bytes mean low high below above doubts aside";
	static const char states[] = " on_cpu runnable asleep";
	char all[sizeof(plain) + sizeof(states)];

	snprintf(all, sizeof(all), "%s%s", plain, h->states ? states : "");
	html_write_fields(h, "sum_fields", all);
	json_write_open(&h->json, "sums", '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];

		if (has_row(h, b))
			continue;
		json_write_count(&h->json, NULL, b->sites);
		json_write_number(&h->json, NULL, b->value_ns);
		json_write_number(&h->json, NULL, b->share);
		json_write_count(&h->json, NULL, b->calls);
		if (b->has_bytes)
			json_write_count(&h->json, NULL, b->bytes);
		else
			html_write_index(h, NULL, STRING_INDEX_NONE);
		html_write_interval(h, b->mean_ns, b->low_ns, b->high_ns);
		html_write_doubts(h, NULL, b->unreliable);
		json_write_count(&h->json, NULL, b->aside);
		if (!h->states)
			continue;
		json_write_number(&h->json, NULL, b->on_cpu_ns);
		json_write_number(&h->json, NULL, b->runnable_ns);
		json_write_number(&h->json, NULL, b->asleep_ns);
	}
	json_write_close(&h->json, ']');
}

void html_flame(struct html *h)
{
	size_t most = h->flame.labels;
	struct labels labels = {.number = malloc(most * sizeof(*labels.number)),
				.first = malloc(most * sizeof(*labels.first))};

	h->json.failed |= !labels.number || !labels.first;
	if (labels.number && labels.first) {
		memset(labels.number, 0xff, most * sizeof(*labels.number)); /* STRING_INDEX_NONE */
		put_boxes(h, &labels);
		put_sums(h);
	}
	free(labels.number);
	free(labels.first);
}
