// SPDX-License-Identifier: Apache-2.0
/* Three encodings, each read from its beginning. Lines are added up modulo 2^32: only made-up
 * tables go beyond. */
#include "preload/python/python_layout.h"

#define NO_LINE	   (-128) /* PEP 626: these instructions have none */
#define UNIT_BYTES 2u	  /* of code, in the table of positions */
#define ENTRY_MOST (8u * UNIT_BYTES)

struct cursor {
	const uint8_t *at, *end;
	uint32_t line; /* computed so far */
};

static struct python_place place_of_line(int64_t line, uint32_t start)
{
	return (struct python_place){(int32_t)line, (int32_t)line, -1, -1, start};
}

/* Pairs: bytes of code, by which a line begins later; signed increment of the line. The last line
 * goes on for ever. */
static struct python_place find_in_lnotab(struct cursor c, uint32_t instruction)
{
	uint64_t address = 0;
	for (; c.end - c.at >= 2; c.at += 2) {
		address += c.at[0];
		if (address > instruction)
			break;
		c.line += (uint32_t)(int8_t)c.at[1];
	}
	return place_of_line((int32_t)c.line, instruction);
}

/* Pairs: bytes of code that the entry covers, none for a mere increment; signed increment. */
static struct python_place find_in_lines(struct cursor c, uint32_t instruction)
{
	uint64_t end = 0;
	for (; c.end - c.at >= 2; c.at += 2) {
		int8_t delta = (int8_t)c.at[1];
		end += c.at[0];
		c.line += delta == NO_LINE ? 0 : (uint32_t)delta;
		if (end > instruction)
			return place_of_line(delta == NO_LINE ? -1 : (int32_t)c.line, instruction);
	}
	return place_of_line(-1, instruction);
}

static uint32_t take_byte(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

/* Six bits a byte, the lowest first; another byte follows where bit 6 is set. */
static uint32_t take_number(struct cursor *c)
{
	uint32_t value = 0, byte = 64;
	for (unsigned shift = 0; shift < 32 && (byte & 64); shift += 6) {
		byte = take_byte(c);
		value |= (byte & 63) << shift;
	}
	return value;
}

/* The sign is the lowest bit. */
static uint32_t take_signed(struct cursor *c)
{
	uint32_t value = take_number(c);
	return value & 1 ? 0 - (value >> 1) : value >> 1;
}

/* Kinds of entries, bits 3 to 6 of the first byte; those below have it as part of the column. */
enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15 };

/* The entry at the cursor, which then stands at the next: a byte with bit 7 set begins one. */
static struct python_place take_entry(struct cursor *c, uint32_t *bytes)
{
	uint32_t head = take_byte(c), kind = head >> 3 & 15;
	struct python_place p = {-1, -1, -1, -1, 0};
	*bytes = ((head & 7) + 1) * UNIT_BYTES;
	if (kind == LONG || kind == NO_COLUMNS)
		c->line += take_signed(c);
	else if (kind >= ONE_LINE && kind < NO_COLUMNS)
		c->line += kind - ONE_LINE;
	if (kind != NONE)
		p.line = p.end_line = (int32_t)c->line;
	if (kind == LONG) {
		p.end_line = (int32_t)(c->line + take_number(c));
		p.column = (int32_t)(take_number(c) - 1);
		p.end_column = (int32_t)(take_number(c) - 1);
	} else if (kind < ONE_LINE) {
		uint32_t second = take_byte(c);
		p.column = (int32_t)(kind << 3 | second >> 4);
		p.end_column = p.column + (int32_t)(second & 15);
	} else if (kind < NO_COLUMNS) {
		p.column = (int32_t)take_byte(c);
		p.end_column = (int32_t)take_byte(c);
	}
	while (c->at < c->end && !(*c->at & 128))
		c->at++;
	return p;
}

/* Do two entries that follow each other tell of one place? Several instructions of 3.11 make one
 * call, and which of them goes into it changes as the interpreter specialises it. An entry covers
 * eight units at most: an instruction with its inline caches may go on in the next. Entries of a
 * line without columns are apart, for each may be another call. */
static bool same_place(const struct python_place *a, const struct python_place *b, bool is_full)
{
	return a->line == b->line && a->end_line == b->end_line && a->column == b->column &&
	       a->end_column == b->end_column && (a->column >= 0 || is_full);
}

static struct python_place find_in_positions(struct cursor c, uint32_t instruction)
{
	struct python_place p = {0}, before;
	uint64_t start = 0;
	uint32_t bytes = 0;
	while (c.at < c.end) {
		bool is_full = bytes == ENTRY_MOST;
		before = p;
		p = take_entry(&c, &bytes);
		p.start =
			start && same_place(&before, &p, is_full) ? before.start : (uint32_t)start;
		start += bytes;
		if (start > instruction)
			return p;
	}
	return place_of_line(-1, instruction);
}

struct python_place python_table_find(const struct python_lines *lines, int64_t instruction)
{
	struct cursor c = {lines->table, lines->table + lines->bytes, (uint32_t)lines->first_line};
	if (instruction < 0)
		return place_of_line(lines->first_line, PYTHON_TABLE_BEFORE);
	if (instruction >= PYTHON_TABLE_BEFORE)
		return place_of_line(-1, PYTHON_TABLE_BEFORE);
	uint32_t at = (uint32_t)instruction;
	if (!lines->table)
		return place_of_line(-1, at);
	return lines->kind == PYTHON_POSITIONS ? find_in_positions(c, at)
	       : lines->kind == PYTHON_LINES   ? find_in_lines(c, at)
					       : find_in_lnotab(c, at);
}
