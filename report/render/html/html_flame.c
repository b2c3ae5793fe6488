// SPDX-License-Identifier: GPL-3.0-or-later
/* The boxes of the flame graph, in preorder. A box of one row has that row's numbers and only
 * names it; the others' follow in `sums`. */
#include "report/render/html/html_write.h"

#include <stdlib.h>

static bool has_row(const struct html *h, const struct flame_box *b)
{
	return b->sites == 1 && b->site < h->sites;
}

/* Kind, name, module and outcome are the same for many boxes: they are stored once. */
static void put_labels(struct html *h)
{
	const struct flame_box **first = calloc(h->flame.labels, sizeof(*first));

	html_write_fields(h, "label_fields", "kind name module outcome");
	json_write_open(&h->json, "labels", '[');
	for (uint32_t i = 0; first && i < h->flame.boxes; i++)
		first[h->flame.box[i].label] = &h->flame.box[i];
	for (uint32_t i = 0; first && i < h->flame.labels; i++) {
		json_write_count(&h->json, NULL, first[i] ? first[i]->kind : FLAME_UNKNOWN);
		html_write_index(h, NULL, first[i] ? first[i]->name : STRING_INDEX_NONE);
		html_write_index(h, NULL, first[i] ? first[i]->module : STRING_INDEX_NONE);
		html_write_index(h, NULL, first[i] ? first[i]->outcome : STRING_INDEX_NONE);
	}
	json_write_close(&h->json, ']');
	h->json.failed |= !first;
	free(first);
}

static void put_boxes(struct html *h)
{
	uint32_t sums = 0;

	html_write_fields(h, "box_fields", "depth label row");
	json_write_open(&h->json, "boxes", '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];

		json_write_count(&h->json, NULL, b->depth);
		json_write_count(&h->json, NULL, b->label);
		/* below 0: not a row, but -1 - the place in the sums */
		if (has_row(h, b))
			json_write_count(&h->json, NULL, b->site);
		else
			json_write_integer(&h->json, NULL, -1 - (int64_t)sums++);
	}
	json_write_close(&h->json, ']');
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
	put_boxes(h);
	put_labels(h);
	put_sums(h);
}
