// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths of a comparison, each line and each box once. */
#include "report/render/html/diff_paths.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/model/model.h"
#include "report/wording/utf8.h"

/* As in flame graphs of reports: the function, or else where its code lies. */
static uint32_t name_of(struct string_index *strings, const struct symbol *s)
{
	char place[300];

	if (s->brief)
		return string_index_add(strings, s->brief);
	if (s->module)
		snprintf(place, sizeof(place), "%.250s+0x%" PRIx64, base_name(s->module),
			 s->offset);
	else
		snprintf(place, sizeof(place), "0x%" PRIx64, s->offset);
	return string_index_add(strings, place);
}

/* The text of a frame, asked for once: names take longer than numbers. */
static uint32_t frame_number(struct diff_paths *p, const struct diff_site *s, uint32_t frame,
			     const struct symbol *symbol)
{
	uint32_t number = frame_symbols_number(symbol, diff_path_heuristic(p->diff, s, frame));
	uint32_t at = pairs_add(&p->frames, s->profile, number);
	char *line;

	if (at == PAIRS_NONE ||
	    !array_reach((void **)&p->text, &p->room, at, sizeof(*p->text), 0xff))
		return PAIRS_NONE;
	if (p->text[at] != STRING_INDEX_NONE)
		return at;
	line = diff_path_frame_line(p->diff, s, frame);
	p->html->json.failed |= !line;
	p->text[at] = string_index_add(&p->html->strings, line);
	free(line);
	return at;
}

static uint32_t box_below(struct diff_paths *p, uint32_t above, const struct symbol *s)
{
	struct string_index *strings = &p->html->strings;
	uint32_t label = pairs_add(&p->labels, name_of(strings, s),
				   string_index_add(strings, s->language ? s->file : s->module));

	return pairs_add(&p->boxes, above, label);
}

/* Without what the C library calls before main or a thread's function. */
static uint32_t frames_shown(const struct diff *d, const struct diff_site *s)
{
	uint32_t frames = diff_path_frames(d, s);
	size_t count;

	if (frames > 2 && frame_symbols_is_starter(diff_path_symbols(d, s, frames - 2, &count)))
		frames--;
	while (frames > 1 && frame_symbols_is_starter(diff_path_symbols(d, s, frames - 1, &count)))
		frames--;
	return frames;
}

struct diff_path diff_paths_add(struct diff_paths *p, const struct diff_site *s)
{
	struct diff_path path = {PAIRS_NONE, PAIRS_NONE, PAIRS_NONE};
	uint32_t site = diff_path_site(p->diff, s);

	for (uint32_t i = frames_shown(p->diff, s); i-- > 0;) {
		size_t count;
		const struct symbol *symbol = diff_path_symbols(p->diff, s, i, &count);
		uint32_t frame = frame_number(p, s, i, symbol);

		path.line =
			frame == PAIRS_NONE ? PAIRS_NONE : pairs_add(&p->lines, path.line, frame);
		if (i == site)
			path.site = path.line;
		for (size_t k = count; k-- > 0;)
			path.box = box_below(p, path.box, &symbol[k]);
		if (path.line == PAIRS_NONE || path.box == PAIRS_NONE) {
			p->html->json.failed = true;
			break;
		}
	}
	return path;
}

/* What a node is called from, as the distance back to it, which is mostly 1; 0: none. */
static void put_tree(struct html *h, const char *key, const struct pairs *tree,
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

void diff_paths_write(struct diff_paths *p)
{
	struct html *h = p->html;

	html_write_fields(h, "line_fields", "back text");
	put_tree(h, "lines", &p->lines, p->text);
	html_write_fields(h, "box_fields", "back label");
	put_tree(h, "boxes", &p->boxes, NULL);
	html_write_fields(h, "label_fields", "name module");
	json_write_open(&h->json, "labels", '[');
	for (uint32_t i = 0; i < p->labels.count; i++) {
		html_write_index(h, NULL, p->labels.pair[i].a);
		html_write_index(h, NULL, p->labels.pair[i].b);
	}
	json_write_close(&h->json, ']');
}

void diff_paths_clear(struct diff_paths *p)
{
	pairs_clear(&p->frames);
	pairs_clear(&p->lines);
	pairs_clear(&p->labels);
	pairs_clear(&p->boxes);
	free(p->text);
	p->text = NULL;
}
