// SPDX-License-Identifier: GPL-3.0-or-later
/* The boxes of the flame graph, in preorder. A box of one row has that row's numbers and only
 * names it; the others' follow in `sums`. */
#include "html_write.h"

#include <inttypes.h>

static int64_t index_of(uint32_t n)
{
	return n == NAMES_NONE ? -1 : (int64_t)n;
}

static bool has_row(const struct html *h, const struct flame_box *b)
{
	return b->sites == 1 && b->site < h->sites;
}

/* Kind, name, module and outcome are the same for many boxes: they stand once, ready as JSON. */
static uint32_t label_of(struct names *labels, const struct flame_box *b)
{
	char text[64];

	snprintf(text, sizeof(text), "%d,%" PRId64 ",%" PRId64 ",%" PRId64, (int)b->kind,
		 index_of(b->name), index_of(b->module), index_of(b->outcome));
	return names_add(labels, text);
}

static void put_labels(struct html *h, struct names *labels)
{
	html_fields(h, "label_fields", "kind name module outcome");
	html_key(h, "labels");
	html_open(h, '[');
	for (uint32_t i = 0; i < labels->count; i++)
		fprintf(h->out, "%s%s", i ? "," : "", labels->text[i]);
	html_close(h, ']');
	h->failed = h->failed || labels->failed;
	names_clear(labels);
}

static void put_boxes(struct html *h)
{
	struct names labels = {0};
	uint32_t sums = 0;

	html_fields(h, "box_fields", "depth label row");
	html_key(h, "boxes");
	html_open(h, '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];

		html_count(h, b->depth);
		html_index(h, label_of(&labels, b));
		/* below 0: not a row, but -1 - the place in the sums */
		if (has_row(h, b))
			html_count(h, b->site);
		else
			html_below(h, sums++);
	}
	html_close(h, ']');
	put_labels(h, &labels);
}

/* Their names, with commas; NULL: none. */
static const char *doubts_of(unsigned doubts, char *text, size_t room)
{
	size_t used = 0;

	for (unsigned bit = 1; bit <= doubts && used < room; bit *= 2)
		if (doubts & bit)
			used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
						 report_doubt_name(bit));
	return used ? text : NULL;
}

static void put_sums(struct html *h)
{
	char doubts[160];

	html_fields(h, "sum_fields",
		    "rows value share calls bytes mean low high below above doubts");
	html_key(h, "sums");
	html_open(h, '[');
	for (uint32_t i = 0; i < h->flame.boxes; i++) {
		const struct flame_box *b = &h->flame.box[i];

		if (has_row(h, b))
			continue;
		html_count(h, b->sites);
		html_number(h, b->value_ns);
		html_number(h, b->share);
		html_count(h, b->calls);
		if (b->has_bytes)
			html_count(h, b->bytes);
		else
			html_index(h, NAMES_NONE);
		html_number(h, b->mean_ns);
		html_number(h, b->low_ns);
		html_number(h, b->high_ns);
		html_relative(h, b->mean_ns, b->low_ns, b->high_ns);
		html_string(h, doubts_of(b->doubts, doubts, sizeof(doubts)));
	}
	html_close(h, ']');
}

void html_flame(struct html *h)
{
	put_boxes(h);
	put_sums(h);
}
