// SPDX-License-Identifier: Apache-2.0
/* What was recorded is found by 128 bits of hash: of the text of a function, and its table; of a
 * function's id and a place. */
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/python/python_private.h"

#define BUCKETS	      4096u
#define FIRST_BYTES   (64u << 10)
#define MEMORY_MOST   (64u << 20)
#define PAIR_MULTIPLE UINT64_C(0x9e3779b97f4a7c15)

struct pair { /* two hashes that have nothing in common */
	uint64_t a, b;
};

struct known {
	struct pair hash;
	struct known *next; /* of the same bucket */
	uint32_t id;
};

static struct {
	struct file_chunk chunk; /* of SOURCE */
	struct arena memory;
	struct known *bucket[BUCKETS];
	uint32_t functions, lines;
} records = {.memory = {.first = FIRST_BYTES, .limit = MEMORY_MOST}};

static struct pair hash_bytes(struct pair h, const void *from, uint64_t bytes)
{
	const uint8_t *p = from;
	for (uint64_t i = 0; i < bytes; i++) {
		h.a = (h.a ^ p[i]) * UINT64_C(0x100000001b3);
		h.b = (h.b + p[i] + 1) * PAIR_MULTIPLE;
		h.b ^= h.b >> 29;
	}
	return h;
}

/* NULL: not known. */
static struct known *find(struct pair hash)
{
	struct known *k = records.bucket[hash.a % BUCKETS];
	while (k && (k->hash.a != hash.a || k->hash.b != hash.b))
		k = k->next;
	return k;
}

/* Where the next one is going to be; NULL: no room. */
static struct known *make(struct pair hash)
{
	struct known *k = arena_take(&records.memory, sizeof *k);
	if (k)
		k->hash = hash;
	return k;
}

/* Its record is complete. */
static void add(struct known *k, uint32_t id)
{
	k->id = id;
	k->next = records.bucket[k->hash.a % BUCKETS];
	records.bucket[k->hash.a % BUCKETS] = k;
}

static void *begin_record(uint32_t type, uint64_t bytes)
{
	return modules_record(&records.chunk, SCP_OPTIONAL_SOURCE, type, bytes);
}

static uint32_t count_from_0(int32_t n)
{
	return n < 0 ? 0 : (uint32_t)n;
}

static struct pair hash_function(const struct python_function *f)
{
	struct pair h = {TEXT_HASH, ~TEXT_HASH};
	h = hash_bytes(h, f->name, text_length(f->name) + 1);
	h = hash_bytes(h, f->file, text_length(f->file) + 1);
	h = hash_bytes(h, &f->lines.first_line, sizeof f->lines.first_line);
	h = hash_bytes(h, &f->lines.bytes, sizeof f->lines.bytes);
	return hash_bytes(h, f->lines.table, f->lines.bytes);
}

uint32_t python_record_function(const struct python_function *f)
{
	struct pair hash = hash_function(f);
	struct known *k = find(hash);
	if (k)
		return k->id;
	size_t name = text_length(f->name) + 1, file = text_length(f->file) + 1;
	struct scp_source_function *r;
	uint64_t bytes = sizeof *r + name + file;
	if (records.functions == PYTHON_FUNCTIONS_MAX || !(k = make(hash)) ||
	    !(r = begin_record(SCP_REC_SOURCE_FUNCTION, bytes)))
		return 0;
	r->id = records.functions + 1;
	r->language = SCP_LANGUAGE_PYTHON;
	r->first_line = count_from_0(f->lines.first_line);
	r->name_bytes = (uint32_t)name;
	r->file_bytes = (uint32_t)file;
	bytes_copy(r->strings, f->name, name);
	bytes_copy(r->strings + name, f->file, file);
	file_publish_record(&records.chunk, r->rec.bytes);
	add(k, ++records.functions);
	return records.functions;
}

uint32_t python_record_line(uint32_t function, const struct python_place *p)
{
	struct pair hash = {(uint64_t)function << 32 | p->start, ~UINT64_C(0)};
	hash.a = hash_mix(hash.a); /* one to one */
	struct known *k = find(hash);
	if (k)
		return k->id;
	struct scp_source_line *r;
	uint64_t bytes = sizeof *r;
	if (records.lines == PYTHON_LINES_MAX || !(k = make(hash)) ||
	    !(r = begin_record(SCP_REC_SOURCE_LINE, bytes)))
		return 0;
	r->id = records.lines + 1;
	r->function = function;
	r->line = count_from_0(p->line);
	r->column = count_from_0(p->column + 1);
	r->end_column = p->end_line == p->line ? count_from_0(p->end_column + 1) : 0;
	r->instruction = p->start;
	file_publish_record(&records.chunk, r->rec.bytes);
	add(k, ++records.lines);
	return records.lines;
}

void python_record_forget(void)
{
	for (unsigned i = 0; records.functions && i < BUCKETS; i++)
		records.bucket[i] = NULL;
	arena_reset(&records.memory);
	records.chunk = (struct file_chunk){0};
	records.functions = records.lines = 0;
}
