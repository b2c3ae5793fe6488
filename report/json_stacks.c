// SPDX-License-Identifier: GPL-3.0-or-later
/* A frame's text is what jansson makes of its object. */
#include "json_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

static int make_room(struct json_stacks *k, uint32_t number)
{
	uint32_t room = number < 512 ? 1024 : 2 * number;
	char **frame;

	if (number < k->room)
		return 0;
	frame = realloc(k->frame, room * sizeof(*frame));
	if (!frame)
		return -1;
	memset(frame + k->room, 0, (room - k->room) * sizeof(*frame));
	k->frame = frame;
	k->room = room;
	return 0;
}

static char *make_text(const struct symbol *s)
{
	int failed = 0;
	json_t *frame = json_frame(s, &failed);
	char *text = failed ? NULL : json_dumps(frame, JSON_FLAGS);

	json_decref(frame);
	return text;
}

static const char *text_of(struct json_stacks *k, const struct symbol *s)
{
	if (s->number == SYMBOL_UNNUMBERED || make_room(k, s->number) < 0)
		return NULL;
	if (!k->frame[s->number])
		k->frame[s->number] = make_text(s);
	return k->frame[s->number];
}

int json_stacks_put(struct json_stacks *k, struct report *r, const struct report_site *s, FILE *out)
{
	const char *between = "";

	putc_unlocked('[', out);
	for (uint32_t i = 0; i < s->frames; i++) {
		size_t count;
		const struct symbol *symbol = report_symbols(r, &s->frame[i], &count);

		for (size_t j = 0; j < count; j++) {
			const char *text = text_of(k, &symbol[j]);

			if (!text)
				return -1;
			fputs_unlocked(between, out);
			fputs_unlocked(text, out);
			between = ", ";
		}
	}
	putc_unlocked(']', out);
	return 0;
}

void json_stacks_clear(struct json_stacks *k)
{
	for (uint32_t i = 0; i < k->room; i++)
		free(k->frame[i]);
	free(k->frame);
	*k = (struct json_stacks){0};
}
