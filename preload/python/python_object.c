// SPDX-License-Identifier: Apache-2.0
/* Pages are asked about one by one; of a thread's own stack all is known. */
#include "preload/python/python_private.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define PAGE	   UINT64_C(4096)
#define PAGES	   (sizeof((struct python_rows *)0)->page / 8)
#define BYTES_MOST (UINT64_C(1) << 20)

static COLD bool ask(uint64_t *known, uint64_t page)
{
	if (sys_sandboxed || !page || !sys_can_read(page))
		return false;
	*known = page;
	return true;
}

bool python_can_read(struct scp_thread *t, uint64_t address, uint64_t bytes)
{
	uint64_t last = address + bytes - 1;
	if (stack_holds(address) && stack_holds(last))
		return true;
	if (!bytes || bytes > BYTES_MOST || last < address)
		return false;
	for (uint64_t page = address & ~(PAGE - 1); page <= last; page += PAGE) {
		uint64_t *known = &t->python_rows.page[page / PAGE % PAGES];
		if (unlikely(*known != page || !page) && !ask(known, page))
			return false;
	}
	return true;
}

void python_forget_pages(struct scp_thread *t)
{
	for (unsigned i = 0; i < PAGES; i++)
		t->python_rows.page[i] = 0;
}

#define TEXT_MOST   (UINT64_C(1) << 30) /* characters: what says more is no text */
#define TABLE_MOST  (UINT64_C(1) << 20) /* as much as python_can_read is asked about at once */
#define REPLACEMENT 0xfffdu

/* Compact: the characters follow the object itself. */
struct text {
	uint64_t data, length;
	uint32_t kind; /* bytes a character */
};

/* `state` of 3.8 to 3.15, from the lowest bit: interned 2, kind 3, compact 1, ascii 1. */
static bool open_text(struct scp_thread *t, const struct python_layout *l, uint64_t address,
		      struct text *x)
{
	if (!python_can_follow(t, address, l->text_ascii) ||
	    python_object_word(address + l->object_type) != l->text_type)
		return false;
	uint32_t state = python_object_half(address + l->text_state);
	bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
	x->length = python_object_word(address + l->text_length);
	x->kind = state >> 2 & 7;
	x->data = address + (ascii ? l->text_ascii : l->text_compact);
	return compact && x->length <= TEXT_MOST &&
	       (x->kind == 1 || (!ascii && (x->kind == 2 || x->kind == 4)));
}

static uint32_t character(const struct text *x, uint64_t i)
{
	uint32_t c = 0;
	bytes_copy(&c, (const void *)(x->data + i * x->kind), x->kind);
	bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0);
	bool is_surrogate = c >= 0xd800 && c < 0xe000;
	return is_control || is_surrogate || c > 0x10ffff ? REPLACEMENT : c;
}

static uint32_t utf8_bytes(uint32_t c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

static void put_utf8(char *to, uint32_t c, uint32_t bytes)
{
	static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (uint32_t i = bytes; --i > 0; c >>= 6)
		to[i] = (char)(0x80 | (c & 63));
	to[0] = (char)(first[bytes] | c);
}

bool python_object_text(struct scp_thread *t, const struct python_layout *layout, uint64_t address,
			char *to, uint32_t room, enum python_object_keep keep)
{
	struct text x;
	if (!open_text(t, layout, address, &x))
		return false;
	/* Each character takes a byte at least. */
	uint64_t count = least_of(x.length, room - 1), end = x.length, at = 0;
	uint32_t bytes = 0, n = 0;
	if (keep == PYTHON_OBJECT_BEGINNING)
		end = count;
	else
		at = end - count;
	if (count && !python_can_read(t, x.data + at * x.kind, count * x.kind))
		return false;
	if (keep == PYTHON_OBJECT_END)
		for (at = end; at > end - count; at--) {
			bytes += utf8_bytes(character(&x, at - 1));
			if (bytes >= room)
				break;
		}
	for (; at < end; at++, n += bytes) {
		uint32_t c = character(&x, at);
		bytes = utf8_bytes(c);
		if (n + bytes >= room)
			break;
		put_utf8(to + n, c, bytes);
	}
	to[n] = 0;
	return true;
}

bool python_object_lines(struct scp_thread *t, const struct python_layout *layout, uint64_t code,
			 struct python_lines *lines)
{
	uint64_t table = python_object_word(code + layout->code_table);
	if (!python_can_follow(t, table, layout->bytes_data) ||
	    python_object_word(table + layout->object_type) != layout->bytes_type)
		return false;
	uint64_t bytes = python_object_word(table + layout->bytes_size);
	if (bytes > INT64_MAX)
		return false;
	*lines = (struct python_lines){
		.kind = layout->table,
		.first_line = (int32_t)python_object_half(code + layout->code_first_line),
		.table = bytes > TABLE_MOST ? NULL : (const uint8_t *)(table + layout->bytes_data),
		.bytes = bytes > TABLE_MOST ? 0 : bytes,
	};
	return !lines->bytes || python_can_read(t, table + layout->bytes_data, lines->bytes);
}
