// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/generated.h"

#include <limits.h>
#include <string.h>

enum { CODE_LOAD = 0, CODE_MOVE = 1, DEBUG_INFO = 2, CODE_CLOSE = 3 };

#define MAGIC	      0x4a695444u
#define ARCH_TIME     1u     /* in header.flags: times are readings of the processor's counter */
#define SAME_FILE     "\xff" /* an entry's file is that of the entry before */
#define LEAST_BYTES   16u    /* of a record's head, and of an entry of DEBUG_INFO */
#define NAME_MOST     4096u
#define NAME_OF_LOAD  56u /* offsets in records */
#define BYTES_OF_MOVE 64u
#define ENTRIES	      32u
#define SHIFT_OF_V8   64u /* it adds the head of the ELF file that perf makes of the code */

struct header {
	uint32_t magic, version, bytes, machine, reserved, pid;
	uint64_t at_ns, flags;
};

struct record {
	const char *start;
	uint32_t type, bytes;
	uint64_t at_ns;
};

/* Numbers may lie at any address. */
static uint64_t get_u64(const char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static uint32_t get_u32(const char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static void add_load(struct code_map *m, struct symbolize_files *files, const struct record *r,
		     const struct record *debug)
{
	const char *name = r->start + NAME_OF_LOAD;
	struct code_piece piece = {.at_ns = r->at_ns, .name = name};
	uint64_t most = r->bytes > NAME_OF_LOAD ? r->bytes - NAME_OF_LOAD : 0;

	if (!most || !*name || !memchr(name, '\0', most < NAME_MOST ? most : NAME_MOST))
		return;
	piece.start = get_u64(r->start + 32);
	piece.end = piece.start + get_u64(r->start + 40);
	piece.index = get_u64(r->start + 48);
	if (debug->start && get_u64(debug->start + LEAST_BYTES) == piece.start) {
		piece.line_count = get_u64(debug->start + 24);
		piece.lines = debug->start + ENTRIES;
		piece.lines_end = debug->start + debug->bytes;
		piece.lines_shift = generated_name_is_v8(name) ? SHIFT_OF_V8 : 0;
	}
	code_map_add(m, files, &piece);
}

/* The latest piece of that number and place goes on elsewhere; its lines stay behind. */
static void add_move(struct code_map *m, struct symbolize_files *files, const struct record *r)
{
	uint64_t old, index;

	if (r->bytes < BYTES_OF_MOVE || !symbolize_open_step(files, m->pieces + 1))
		return;
	old = get_u64(r->start + 32);
	index = get_u64(r->start + 56);
	for (uint32_t i = m->pieces; i-- > 0;)
		if (m->piece[i].index == index && m->piece[i].start == old) {
			struct code_piece piece = {.name = m->piece[i].name,
						   .start = get_u64(r->start + 40),
						   .at_ns = r->at_ns,
						   .index = index};

			piece.end = piece.start + get_u64(r->start + 48);
			code_map_add(m, files, &piece);
			return;
		}
}

/* Records up to the first that the file does not hold as a whole. */
static bool next_record(const char *end, const char *at, struct record *r)
{
	if ((uint64_t)(end - at) < LEAST_BYTES)
		return false;
	*r = (struct record){at, get_u32(at), get_u32(at + 4), get_u64(at + 8)};
	return r->bytes >= LEAST_BYTES && r->bytes <= (uint64_t)(end - at);
}

bool jitdump_read(struct code_map *m, struct symbolize_files *files, const char *text,
		  uint64_t bytes, bool *comparable)
{
	struct record r, debug = {0};
	struct header h;

	if (bytes < sizeof(h))
		return false;
	memcpy(&h, text, sizeof(h));
	if (h.magic != MAGIC || h.bytes < sizeof(h) || h.bytes > bytes)
		return false;
	*comparable = !(h.flags & ARCH_TIME);
	for (const char *at = text + h.bytes; next_record(text + bytes, at, &r); at += r.bytes) {
		if (r.type == CODE_CLOSE || m->failed)
			break;
		if (r.type == CODE_LOAD)
			add_load(m, files, &r, &debug);
		else if (r.type == CODE_MOVE)
			add_move(m, files, &r);
		if (r.type == DEBUG_INFO && r.bytes >= ENTRIES)
			debug = r;
		else if (r.type == CODE_LOAD)
			debug.start = NULL;
	}
	return true;
}

/* An entry: address, line, discriminator, file. Entries lie in the order of addresses; each holds
 * up to the next. */
bool jitdump_read_line(const struct code_piece *piece, struct symbolize_files *files,
		       uint64_t address, const char **file, int *line)
{
	const char *at = piece->lines, *latest = NULL;
	bool found = false;

	for (uint64_t i = 0; at && i < piece->line_count; i++) {
		uint64_t left = (uint64_t)(piece->lines_end - at);
		const char *name = at + LEAST_BYTES, *end;

		if (left <= LEAST_BYTES || get_u64(at) > address + piece->lines_shift ||
		    !symbolize_open_step(files, 1))
			break;
		end = memchr(name, '\0', left - LEAST_BYTES);
		if (!end)
			break;
		if (strcmp(name, SAME_FILE) != 0)
			latest = name;
		found = latest && get_u32(at + 8) && get_u32(at + 8) <= INT_MAX;
		*line = found ? (int)get_u32(at + 8) : 0;
		*file = latest;
		at = end + 1;
	}
	return found;
}
