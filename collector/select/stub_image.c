// SPDX-License-Identifier: GPL-3.0-or-later
/* Grows the parts of a stub object. */
#include "collector/select/stub_image.h"

#include <stdlib.h>
#include <string.h>

void *stub_image_extend(struct object *o, struct part *p, size_t bytes)
{
	if (p->size + bytes > p->room) {
		size_t room = 2 * (p->size + bytes) + 4096;
		uint8_t *grown = realloc(p->bytes, room);

		if (!grown) {
			o->failed = true;
			return NULL;
		}
		p->bytes = grown;
		p->room = room;
	}
	memset(p->bytes + p->size, 0, bytes);
	p->size += bytes;
	return p->bytes + p->size - bytes;
}

void stub_image_put(struct object *o, const void *from, size_t bytes)
{
	void *to = stub_image_extend(o, &o->image, bytes);

	if (to)
		memcpy(to, from, bytes);
}

void stub_image_put32(struct object *o, uint32_t v)
{
	stub_image_put(o, &v, sizeof(v));
}

size_t stub_image_align(struct object *o, size_t to)
{
	stub_image_extend(o, &o->image, (to - o->image.size % to) % to);
	return o->image.size;
}

uint32_t stub_image_string(struct object *o, struct part *p, const char *text)
{
	size_t at = p->size, bytes = strlen(text) + 1;
	void *to = stub_image_extend(o, p, bytes);

	if (to)
		memcpy(to, text, bytes);
	return (uint32_t)at;
}
