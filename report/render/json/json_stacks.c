// SPDX-License-Identifier: GPL-3.0-or-later
/* A frame's text is what jansson makes of its object. */
#include "report/render/json/json_stacks.h"

#include <stdlib.h>

#include "report/render/json/json.h"
#include "report/containers/growable_array.h"
#include "report/model/frame_symbols.h"

static char *make_text(const struct symbol *s)
{
	int failed = 0;
	json_t *frame = json_parts_frame(s, &failed);
	char *text = failed ? NULL : json_dumps(frame, JSON_FLAGS);

	json_decref(frame);
	return text;
}

static const char *text_of(struct json_stacks *k, const struct symbol *s)
{
	if (!growable_array_make((void **)&k->frame, &k->room, s->number, sizeof(*k->frame), 0))
		return NULL;
	if (!k->frame[s->number])
		k->frame[s->number] = make_text(s);
	return k->frame[s->number];
}

int json_stacks_put(struct json_stacks *k, struct report *r, const struct report_site *s, FILE *out)
{
	const char *between = "";

	for (uint32_t i = 0; i < s->frames; i++) {
		size_t count;
		const struct symbol *symbol = frame_symbols_find(r, &s->frame[i], &count);

		for (size_t j = 0; j < count; j++) {
			const char *text = text_of(k, &symbol[j]);

			if (!text)
				return -1;
			fputs_unlocked(between, out);
			fputs_unlocked(text, out);
			between = ", ";
		}
	}
	return 0;
}

void json_stacks_clear(struct json_stacks *k)
{
	for (uint32_t i = 0; i < k->room; i++)
		free(k->frame[i]);
	free(k->frame);
	*k = (struct json_stacks){0};
}
