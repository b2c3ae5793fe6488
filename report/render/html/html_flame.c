// SPDX-License-Identifier: GPL-3.0-or-later
/* The boxes of the flame graph, in preorder. A box of one row has that row's numbers and only
 * names it; the others' follow in `sums`. */
#include "report/render/html/html_write.h"

static bool has_row(const struct html *h, const struct flame_box *b)
{
	return b->sites == 1 && b->site < h->sites;
}

/* Kind, name, module and outcome are the same for many boxes: they are stored once. */
static void put_labels(struct html *h)
{
	html_write_fields(h, "label_fields", "kind name module outcome");
	json_write_open(&h->json, "labels", '[');
	for (uint32_t i = 0; i < h->flame.labels; i++) {
		const struct flame_label *l = &h->flame.label[i];

		html_write_counts(h, l->kind);
		html_write_index(h, NULL, l->name);
		html_write_index(h, NULL, l->module);
		html_write_index(h, NULL, l->outcome);
	}
	json_write_close(&h->json, ']');
}

static void put_boxes(struct html *h)
{
	uint32_t sums = 0;

	html_write_fields(h, "box_fields", "depth label row");
	json_write_open(&h->json, "boxes", '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];

		html_write_counts(h, b->depth, b->label);
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
	html_write_fields(h, "sum_fields",
			  h->states ? "rows value share calls bytes mean low high below above "
				      "doubts aside on_cpu runnable asleep"
				    : "rows value share calls bytes mean low high below above "
				      "doubts aside");
	json_write_open(&h->json, "sums", '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];
		const struct mean_interval mean = {
			.mean = b->mean_ns, .low = b->low_ns, .high = b->high_ns};

		if (has_row(h, b))
			continue;
		html_write_counts(h, b->sites);
		html_write_numbers(h, b->value_ns, b->share);
		html_write_counts(h, b->calls);
		html_write_bytes(h, b->has_bytes, b->bytes);
		html_write_interval(h, &mean);
		html_write_doubts(h, NULL, b->unreliable);
		html_write_counts(h, b->aside);
		if (h->states)
			html_write_numbers(h, b->on_cpu_ns, b->runnable_ns, b->asleep_ns);
	}
	json_write_close(&h->json, ']');
}

void html_flame(struct html *h)
{
	put_boxes(h);
	put_labels(h);
	put_sums(h);
}
