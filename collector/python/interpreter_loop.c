// SPDX-License-Identifier: GPL-3.0-or-later
/* The code that executes Python functions. A compiler may move a function's rare parts elsewhere,
 * or what it takes for rare, where no symbol is: it jumps there, and they jump back. */
#include <stdlib.h>

#include "arch_call.h"
#include "collector/python/interpreter.h"
#include "profile/base/array.h"

#define PARTS_TRIED 8u

/* The function, or the part of one, that an address is in, by the table of frames. */
static struct safe_point_place find_part(const struct safe_point_object *o, uint64_t at)
{
	int64_t offset = (int64_t)(at - o->frame_header);
	size_t above;

	BISECT(above, o->frames, o->frame[2 * above] <= offset);
	if (!above || above == o->frames)
		return (struct safe_point_place){0};
	int64_t start = o->frame[2 * above - 2];

	return (struct safe_point_place){o->frame_header + (uint64_t)start,
					 (uint64_t)(o->frame[2 * above] - start)};
}

/* A copy, to be freed; NULL: it is too much, or cannot be read. */
static uint8_t *copy(const struct interpreter *p, const struct safe_point_place *from)
{
	return from->bytes <= PYTHON_LOOP_BYTES ? memory_copy(p->pid, from->address, from->bytes)
						: NULL;
}

static bool jumps_back(const struct interpreter *p, const struct safe_point_place *part)
{
	uint8_t *code = copy(p, part);
	bool does = code && python_layout_jumps(code, part->bytes, part->address,
						p->loop[0].address, p->loop[0].bytes);

	free(code);
	return does;
}

void interpreter_find_loop(struct interpreter *p)
{
	struct safe_point_place *loop = p->loop, part = {0};
	unsigned tried = 0;

	loop[0] = symbols_find_place(p->object, p->pid, "_PyEval_EvalFrameDefault");
	uint8_t *code = copy(p, loop);

	for (uint64_t i = 0;
	     code && i + ARCH_JUMP_BYTES <= loop->bytes && !loop[1].bytes && tried < PARTS_TRIED;
	     i += ARCH_JUMP_STEP) {
		uint64_t at = arch_jump_target(code + i);

		at += at ? loop->address - (uintptr_t)code : 0;
		if (!at || at - loop->address < loop->bytes || at - part.address < part.bytes)
			continue;
		part = find_part(p->object, at);
		tried += part.bytes > 0;
		if (part.bytes && jumps_back(p, &part))
			loop[1] = part;
	}
	free(code);
}

bool interpreter_executes(const struct interpreter *p, uint64_t at)
{
	return at - p->loop[0].address < p->loop[0].bytes ||
	       at - p->loop[1].address < p->loop[1].bytes;
}
