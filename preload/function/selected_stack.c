// SPDX-License-Identifier: Apache-2.0
#include "preload/function/selected.h"

#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/unwind/unwind.h"

#define PAGE(a) ((a) & ~UINT64_C(4095))

/* Words. docs/functions.md has what copying them costs. */
#define UNKNOWN_MAX	  (UINT64_C(16384) / 8) /* of a function of which nothing is known */
#define UNKNOWN_FRAME_MAX (UINT64_C(4096) / 8)	/* of that, where the frame's end is not known */
#define KNOWN_MAX	  (UINT64_C(262144) / 8)
#define LEFT_BELOW	  4096u /* of the stack, for the original */

static bool can_read(uint64_t from, uint64_t to)
{
	for (uint64_t at = PAGE(from); at < to; at += 4096)
		if (sys_sandboxed || !sys_can_read(at))
			return false;
	return true;
}

/* From `cfa` on, at most `words`. The word before is the return address. */
static uint64_t readable_words(uint64_t cfa, uint64_t words)
{
	uint64_t end = cfa + 8 * words, at = PAGE(cfa + 4095);
	if (sys_sandboxed)
		return words;
	while (at < end && can_read(at, at + 1))
		at += 4096;
	return at < end ? (at - cfa) / 8 : words;
}

/* Does the stack have so much? Those that grow do so as the kernel looks. */
static bool has_room(uint64_t cfa, uint64_t words)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), to = cfa - 8 * words;
	size_t room = stack_room();
	if (room != SIZE_MAX)
		return here - to + STACK_TO_RECORD < room;
	return can_read(to - LEFT_BELOW, here);
}

const struct scp_selected selected_scratch = {.flags = SCP_SELECTED_STACK,
					      .stack_words = SELECTED_STACK_FAST};

/* Is the original the function that the tool looked at? */
static bool is_known(const struct scp_selected *s)
{
	struct unwind_object object;
	if (!(s->flags & SCP_SELECTED_STACK_HERE))
		return s->flags & SCP_SELECTED_STACK;
	return s->real && unwind_object_find_object((uint64_t)s->real, &object) &&
	       text_equal(text_basename(object.name), selected_text(s, s->soname));
}

uint32_t selected_stack_words(const struct scp_selected *s, uint64_t cfa, uint64_t frame)
{
	bool known = s && is_known(s), endless = frame == SELECTED_FRAME_UNKNOWN;
	uint64_t most = known ? KNOWN_MAX : endless ? UNKNOWN_FRAME_MAX : UNKNOWN_MAX;
	uint64_t words = known && s->stack_words < frame ? s->stack_words : endless ? most : frame;
	if (words > most)
		return SELECTED_STACK_REFUSED;
	if (endless)
		words = readable_words(cfa, words);
	if (words <= SELECTED_STACK_FAST)
		words = (words + SELECTED_STACK_STEP - 1) / SELECTED_STACK_STEP *
			SELECTED_STACK_STEP;
	else if (!has_room(cfa, words))
		return SELECTED_STACK_REFUSED;
	/* The return address was read; and of a frame over two pages what ends it. */
	uint64_t read = endless || frame > 512 ? cfa - 1 : cfa + 8 * frame;
	return can_read(PAGE(read) + 4096, cfa + 8 * words) ? (uint32_t)words
							    : SELECTED_STACK_REFUSED;
}

uint64_t selected_stack_copied(uint64_t cfa, uint64_t fp, uint64_t frame)
{
	uint64_t own = *(const uint64_t *)(fp - 8);
	return own > cfa && own < fp && frame >= (own - cfa) / 8 ? (own - cfa) / 8
	       : frame < SELECTED_STACK_FAST			 ? frame
								 : SELECTED_STACK_FAST;
}

COLD void selected_stack_count(const struct scp_selected *s)
{
	struct scp_header *h = process.file->header;
	if (h && !__atomic_fetch_add(&h->uncopied_calls, 1, __ATOMIC_RELAXED) &&
	    selected_find(selected_id(s)))
		text_append(h->uncopied_function, sizeof h->uncopied_function, 0,
			    selected_text(s, s->shown));
}
