// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/generated.h"

#include <string.h>

enum { CODE_LOAD = 0, CODE_CLOSE = 3 };

#define MAGIC	     0x4a695444u
#define LEAST_BYTES  16u /* of a record's head */
#define NAME_MOST    4096u
#define NAME_OF_LOAD 56u /* offset in the record */

struct header {
	uint32_t magic, version, bytes, machine, reserved, pid;
	uint64_t at_ns, flags;
};

struct record {
	const char *start;
	uint32_t type, bytes;
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

static void add_load(struct code_map *m, struct symbolize_files *files, const struct record *r)
{
	const char *name = r->start + NAME_OF_LOAD;
	struct code_piece piece = {.name = name};
	uint64_t most = r->bytes > NAME_OF_LOAD ? r->bytes - NAME_OF_LOAD : 0;

	if (!most || !*name || !memchr(name, '\0', most < NAME_MOST ? most : NAME_MOST))
		return;
	piece.start = get_u64(r->start + 32);
	piece.end = piece.start + get_u64(r->start + 40);
	code_map_add(m, files, &piece);
}

/* Records up to the first that the file does not hold as a whole. */
static bool next_record(const char *end, const char *at, struct record *r)
{
	if ((uint64_t)(end - at) < LEAST_BYTES)
		return false;
	*r = (struct record){at, get_u32(at), get_u32(at + 4)};
	return r->bytes >= LEAST_BYTES && r->bytes <= (uint64_t)(end - at);
}

bool jitdump_read(struct code_map *m, struct symbolize_files *files, const char *text,
		  uint64_t bytes)
{
	struct header h;
	struct record r;

	if (bytes < sizeof(h))
		return false;
	memcpy(&h, text, sizeof(h));
	if (h.magic != MAGIC || h.bytes < sizeof(h) || h.bytes > bytes)
		return false;
	for (const char *at = text + h.bytes; next_record(text + bytes, at, &r); at += r.bytes) {
		if (r.type == CODE_CLOSE || m->failed)
			break;
		if (r.type == CODE_LOAD)
			add_load(m, files, &r);
	}
	return true;
}
