// SPDX-License-Identifier: GPL-3.0-or-later
/* Code objects of an interpreter, by where their bytecode lies. */
#include <string.h>

#include "collector/sample/python_private.h"
#include "profile/base/array.h"

#define MOST_CODES   65536u
#define PAGE_BYTES   4096u
#define SEARCH_PAGES 16u /* before an instruction, for its code object */
#define SEARCH_TRIES 8u

static uint32_t find_before(const struct sample_python *y, uint64_t at)
{
	uint32_t low;

	BISECT(low, y->codes, y->code[low].c.start <= at);
	return low;
}

static void forget(struct sample_python *y, uint32_t i)
{
	y->codes--;
	memmove(&y->code[i], &y->code[i + 1], (y->codes - i) * sizeof(*y->code));
}

/* Instead of those whose memory it has now. */
static const struct interpreter_code *keep(struct sample_python *y,
					   const struct interpreter_code *c, uint64_t now_ns)
{
	uint32_t at = find_before(y, c->start);

	if (y->codes == MOST_CODES)
		return NULL;
	while (at < y->codes && y->code[at].c.start < c->end)
		forget(y, at);
	while (at > 0 && y->code[at - 1].c.end > c->start)
		forget(y, --at);
	if (!ARRAY_APPEND(y->code, y->codes))
		return NULL;
	memmove(&y->code[at + 1], &y->code[at], (y->codes - 1 - at) * sizeof(*y->code));
	y->code[at] = (struct known_code){*c, now_ns};
	return &y->code[at].c;
}

const struct interpreter_code *code_at(struct sample_python *y, uint64_t at, uint64_t now_ns)
{
	uint32_t i = find_before(y, at);
	struct known_code *k = &y->code[i - 1];
	struct interpreter_code now;

	if (!i || at >= k->c.end)
		return NULL;
	if (now_ns - k->checked_ns < CHECK_NS)
		return &k->c;
	if (interpreter_code(&y->interpreter, k->c.code, &now) && now.identity == k->c.identity) {
		k->checked_ns = now_ns;
		return &k->c;
	}
	forget(y, i - 1);
	return NULL;
}

/* The code object at `code`, where its bytecode holds `at`, unless that is 0. */
static const struct interpreter_code *take_code(struct sample_python *y, uint64_t code, uint64_t at,
						uint64_t now_ns)
{
	struct interpreter_code c;

	if (!y->left)
		return NULL;
	y->left--;
	return interpreter_code(&y->interpreter, code, &c) &&
			       (!at || at - c.start < c.end - c.start)
		       ? keep(y, &c, now_ns)
		       : NULL;
}

const struct interpreter_code *code_of(struct sample_python *y, uint64_t code, uint64_t now_ns)
{
	uint64_t bytecode = y->interpreter.layout.code_bytecode;
	const struct interpreter_code *c = bytecode ? code_at(y, code + bytecode, now_ns) : NULL;

	return c && c->code == code ? c : take_code(y, code, 0, now_ns);
}

/* Since 3.11 a code object ends in its bytecode: its beginning lies before. */
static const struct interpreter_code *search_before(struct sample_python *y, uint64_t at,
						    uint64_t now_ns)
{
	const struct python_layout *l = &y->interpreter.layout;
	uint64_t page = at & ~(uint64_t)(PAGE_BYTES - 1), word[PAGE_BYTES / 8];
	size_t words = (at - page) / 8 + 1;
	unsigned tries = 0;

	for (unsigned i = 0; i < SEARCH_PAGES; i++, page -= PAGE_BYTES, words = PAGE_BYTES / 8) {
		y->left -= y->left > 0;
		if (!y->left || !memory_read(y->interpreter.pid, page, word, 8 * words))
			return NULL;
		for (size_t k = words; k-- > 0;) {
			if (word[k] != l->code_type)
				continue;
			const struct interpreter_code *c =
				take_code(y, page + 8 * k - l->object_type, at, now_ns);

			if (c || ++tries == SEARCH_TRIES)
				return c;
		}
	}
	return NULL;
}

/* Before, the loop's frame has the code object, or a frame object of it. */
static const struct interpreter_code *search_words(struct sample_python *y, const struct words *w,
						   uint64_t at, uint64_t now_ns)
{
	const struct interpreter *p = &y->interpreter;
	const struct interpreter_code *c = NULL;
	uint64_t code;

	for (size_t i = 0; i < PLACES && !c; i++) {
		if (!w->of[i] || w->of[i] % 8)
			continue;
		c = take_code(y, w->of[i], at, now_ns);
		if (!c && memory_read(p->pid, w->of[i] + p->layout.frame_code, &code, sizeof(code)))
			c = take_code(y, code, at, now_ns);
	}
	return c;
}

const struct interpreter_code *code_search(struct sample_python *y, const struct words *w,
					   uint64_t at, uint64_t now_ns)
{
	return y->interpreter.layout.code_bytecode ? search_before(y, at, now_ns)
						   : search_words(y, w, at, now_ns);
}
