// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point_cfi.h"

#include <string.h>

#include "collector/attach/safe_point_bytes.h"
#include "collector/attach/safe_point_memory.h"

#define MOST_BYTES 65536u /* of an entry */
#define MOST_SAVED 16	  /* rows put aside */

/* A pointer as the DW_EH_PE_ bytes say. Indirect and other bases are not used for code. */
static uint64_t pointer(struct safe_point_bytes *r, uint8_t encoding)
{
	static const uint8_t size[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
	uint64_t there = r->there, value;
	if ((encoding & 0x0f) == 0x01 || (encoding & 0x0f) == 0x09)
		value = safe_point_bytes_leb(r, (encoding & 0x08) != 0);
	else if (size[encoding & 0x0f] == 0)
		return r->bad = true, 0;
	else
		value = safe_point_bytes_fixed(r, size[encoding & 0x0f], (encoding & 0x08) != 0);
	if ((encoding & 0x70) == 0x10)
		value += there;
	else if ((encoding & 0x70) != 0)
		r->bad = true;
	return value;
}

struct common {
	uint64_t code_align, return_column;
	int64_t data_align;
	uint8_t encoding;
	bool sized, signal;
	struct safe_point_bytes program;
};

/* An entry's content behind its length. */
static bool read_entry(pid_t pid, uint64_t at, uint8_t *data, size_t *work,
		       struct safe_point_bytes *r)
{
	uint32_t length;
	if (!safe_point_memory_read(pid, at, &length, sizeof(length)) || length < 8 ||
	    length > MOST_BYTES || length > *work ||
	    !safe_point_memory_read(pid, at + 4, data, length))
		return false;
	*work -= length;
	*r = (struct safe_point_bytes){.at = data, .end = data + length, .there = at + 4};
	return true;
}

static void read_augmentation(struct common *c, struct safe_point_bytes *r, const char *letter)
{
	for (; *letter != '\0' && !r->bad; letter++)
		switch (*letter) {
		case 'z':
			break;
		case 'R':
			c->encoding = (uint8_t)safe_point_bytes_fixed(r, 1, false);
			break;
		case 'P': {
			uint8_t encoding = (uint8_t)safe_point_bytes_fixed(r, 1, false);
			/* Where the language's own part begins is of no use here, but how many
			 * bytes that takes is. */
			pointer(r, (uint8_t)(encoding & 0x0f));
			break;
		}
		case 'L':
			safe_point_bytes_fixed(r, 1, false);
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B':
			break;
		default:
			r->bad = true;
		}
}

static bool read_common(struct common *c, struct safe_point_bytes *r)
{
	*c = (struct common){0};
	if (safe_point_bytes_fixed(r, 4, false) != 0)
		return false;
	uint8_t version = (uint8_t)safe_point_bytes_fixed(r, 1, false);
	const char *letters = (const char *)r->at;
	const uint8_t *end = r->bad ? NULL : memchr(r->at, '\0', (size_t)(r->end - r->at));
	if (end == NULL || (version != 1 && version != 3))
		return false;
	safe_point_bytes_take(r, (uint64_t)(end - r->at) + 1);
	c->code_align = safe_point_bytes_leb(r, false);
	c->data_align = (int64_t)safe_point_bytes_leb(r, true);
	c->return_column =
		version == 1 ? safe_point_bytes_fixed(r, 1, false) : safe_point_bytes_leb(r, false);
	if (letters[0] == 'z') {
		uint64_t bytes = safe_point_bytes_leb(r, false);
		struct safe_point_bytes a = *r;
		c->sized = true;
		if (safe_point_bytes_take(r, bytes) == NULL && bytes > 0)
			return false;
		a.end = r->at;
		read_augmentation(c, &a, letters);
		if (a.bad)
			return false;
	} else if (letters[0] != '\0') {
		return false;
	}
	c->program = *r;
	return !r->bad && c->return_column < SAFE_POINT_REGISTERS;
}

/* What executing the instructions needs. */
struct machine {
	struct safe_point_row row, initial, saved[MOST_SAVED];
	unsigned saved_count;
	uint64_t location, wanted;
	const struct common *c;
};

static void set(struct machine *m, uint64_t reg, enum safe_point_how how, int64_t value)
{
	if (reg < SAFE_POINT_REGISTERS)
		m->row.of[reg] = (struct safe_point_rule){.how = (uint8_t)how, .value = value};
}

static struct safe_point_rule expression(struct safe_point_bytes *r, enum safe_point_how how)
{
	uint64_t bytes = safe_point_bytes_leb(r, false);
	struct safe_point_rule rule = {.how = (uint8_t)how, .value = (int64_t)r->there};
	if (bytes > UINT16_MAX)
		r->bad = true;
	safe_point_bytes_take(r, bytes);
	rule.bytes = (uint16_t)bytes;
	return rule;
}

static void define_cfa(struct machine *m, struct safe_point_bytes *r, uint64_t reg, int64_t offset)
{
	if (reg >= SAFE_POINT_REGISTERS)
		r->bad = true;
	m->row.cfa = (struct safe_point_rule){
		.how = SAFE_POINT_IN, .bytes = (uint16_t)reg, .value = offset};
}

static int64_t scaled(const struct machine *m, uint64_t value)
{
	return (int64_t)(value * (uint64_t)m->c->data_align);
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < SAFE_POINT_REGISTERS)
		m->row.of[reg] = m->initial.of[reg];
}

/* The instructions about the canonical frame address, and those that are rare. */
static void execute_rare(struct machine *m, struct safe_point_bytes *r, uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case 0x0c: /* def_cfa */
		reg = safe_point_bytes_leb(r, false);
		define_cfa(m, r, reg, (int64_t)safe_point_bytes_leb(r, false));
		break;
	case 0x0d: /* def_cfa_register */
		define_cfa(m, r, safe_point_bytes_leb(r, false), m->row.cfa.value);
		break;
	case 0x0e: /* def_cfa_offset */
		m->row.cfa.value = (int64_t)safe_point_bytes_leb(r, false);
		break;
	case 0x0f: /* def_cfa_expression */
		m->row.cfa = expression(r, SAFE_POINT_COMPUTED);
		break;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		reg = safe_point_bytes_leb(r, false);
		struct safe_point_rule rule =
			expression(r, op == 0x10 ? SAFE_POINT_COMPUTED_AT : SAFE_POINT_COMPUTED);
		if (reg < SAFE_POINT_REGISTERS)
			m->row.of[reg] = rule;
		break;
	case 0x11: /* offset_extended_sf */
		reg = safe_point_bytes_leb(r, false);
		set(m, reg, SAFE_POINT_AT, scaled(m, safe_point_bytes_leb(r, true)));
		break;
	case 0x12: /* def_cfa_sf */
		reg = safe_point_bytes_leb(r, false);
		define_cfa(m, r, reg, scaled(m, safe_point_bytes_leb(r, true)));
		break;
	case 0x13: /* def_cfa_offset_sf */
		m->row.cfa.value = scaled(m, safe_point_bytes_leb(r, true));
		break;
	case 0x14: /* val_offset */
	case 0x15: /* val_offset_sf */
		reg = safe_point_bytes_leb(r, false);
		set(m, reg, SAFE_POINT_IS, scaled(m, safe_point_bytes_leb(r, op == 0x15)));
		break;
	case 0x2d: /* GNU_window_save: AArch64's sign of signed return addresses */
		break;
	case 0x2e: /* GNU_args_size */
		safe_point_bytes_leb(r, false);
		break;
	default:
		r->bad = true;
	}
}

static void execute_plain(struct machine *m, struct safe_point_bytes *r, uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x01: /* set_loc */
		m->location = pointer(r, m->c->encoding);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		m->location +=
			safe_point_bytes_fixed(r, (size_t)1 << (op - 2), false) * m->c->code_align;
		break;
	case 0x05: /* offset_extended */
		reg = safe_point_bytes_leb(r, false);
		set(m, reg, SAFE_POINT_AT, scaled(m, safe_point_bytes_leb(r, false)));
		break;
	case 0x06: /* restore_extended */
		restore(m, safe_point_bytes_leb(r, false));
		break;
	case 0x07: /* undefined */
		set(m, safe_point_bytes_leb(r, false), SAFE_POINT_UNDEFINED, 0);
		break;
	case 0x08: /* same_value */
		set(m, safe_point_bytes_leb(r, false), SAFE_POINT_SAME, 0);
		break;
	case 0x09: /* register */
		reg = safe_point_bytes_leb(r, false);
		set(m, reg, SAFE_POINT_IN, (int64_t)safe_point_bytes_leb(r, false));
		break;
	case 0x0a: /* remember_state */
		if (m->saved_count < MOST_SAVED)
			m->saved[m->saved_count++] = m->row;
		else
			r->bad = true;
		break;
	case 0x0b: /* restore_state */
		if (m->saved_count > 0)
			m->row = m->saved[--m->saved_count];
		else
			r->bad = true;
		break;
	default:
		execute_rare(m, r, op);
	}
}

/* Until the row of the wanted address is complete. */
static bool execute(struct machine *m, struct safe_point_bytes r)
{
	while (r.at < r.end && !r.bad && m->location <= m->wanted) {
		uint8_t op = *safe_point_bytes_take(&r, 1), low = op & 0x3f;
		if (op >> 6 == 1) {
			m->location += low * m->c->code_align;
		} else if (op >> 6 == 2) {
			set(m, low, SAFE_POINT_AT, scaled(m, safe_point_bytes_leb(&r, false)));
		} else if (op >> 6 == 3) {
			restore(m, low);
		} else {
			execute_plain(m, &r, op);
		}
	}
	return !r.bad;
}

/* The entry whose first address is the last that is not behind `at`. 0: none. */
static uint64_t find_entry(const struct safe_point_object *o, uint64_t at)
{
	int64_t offset = (int64_t)(at - o->frame_header);
	size_t low = 0, high = o->frames;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (o->frame[2 * middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? o->frame_header + (uint64_t)(int64_t)o->frame[2 * low - 1] : 0;
}

bool safe_point_cfi_row(const struct safe_point_object *o, pid_t pid, uint64_t at, size_t *work,
			struct safe_point_row *row)
{
	static _Thread_local uint8_t own[MOST_BYTES], shared[MOST_BYTES];
	struct safe_point_bytes r, head;
	struct common c;
	uint64_t entry = find_entry(o, at);
	if (entry == 0 || !read_entry(pid, entry, own, work, &r))
		return false;
	uint64_t there = r.there, back = safe_point_bytes_fixed(&r, 4, false);
	if (back == 0 || !read_entry(pid, there - back, shared, work, &head) ||
	    !read_common(&c, &head))
		return false;
	uint64_t start = pointer(&r, c.encoding), length = pointer(&r, c.encoding & 0x0f);
	if (r.bad || at - start >= length)
		return false;
	if (c.sized)
		safe_point_bytes_take(&r, safe_point_bytes_leb(&r, false));
	struct machine m = {.location = start, .wanted = at, .c = &c};
	m.row.return_column = (uint8_t)c.return_column;
	m.row.signal = c.signal;
	if (!execute(&m, c.program))
		return false;
	m.initial = m.row;
	if (r.bad || !execute(&m, r))
		return false;
	*row = m.row;
	return true;
}
