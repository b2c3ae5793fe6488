// SPDX-License-Identifier: Apache-2.0
/* What was recorded is found by 128 bits: of a function the hash of its text and table; of a line
 * its function, and the place or an instruction. Found without a lock, while another thread may
 * begin anew with the same memory: what was found then is not taken (`forgotten` has changed), and
 * no search goes on for ever. */
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/python/python_private.h"

#define BUCKETS	      8192u
#define FIRST_BYTES   (64u << 10)
#define MEMORY_MOST   (128u << 20)
#define STEPS_MOST    4096u
#define PAIR_MULTIPLE UINT64_C(0x9e3779b97f4a7c15)

struct pair { /* of two hashes: they have nothing in common */
	uint64_t a, b;
};

struct known {
	struct pair key;
	struct known *next; /* of the same bucket */
	uint32_t id;
};

static struct {
	struct file_chunk chunk; /* of SOURCE */
	struct arena memory;
	struct known *bucket[BUCKETS];
	uint32_t functions, lines;
	uint32_t forgotten; /* how often */
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

enum line_key { BY_PLACE, BY_INSTRUCTION };

static struct pair line_key(uint32_t function, uint32_t at, enum line_key by)
{
	return (struct pair){hash_mix((uint64_t)function << 32 | at), by};
}

static struct known **bucket_of(struct pair key)
{
	return &records.bucket[key.a % BUCKETS];
}

/* 0: not known. */
static uint32_t find(struct pair key)
{
	uint32_t forgotten = __atomic_load_n(&records.forgotten, __ATOMIC_ACQUIRE), id = 0;
	const struct known *k = __atomic_load_n(bucket_of(key), __ATOMIC_ACQUIRE);

	for (unsigned i = 0; k && !id && i < STEPS_MOST; i++) {
		if (__atomic_load_n(&k->key.a, __ATOMIC_RELAXED) == key.a &&
		    __atomic_load_n(&k->key.b, __ATOMIC_RELAXED) == key.b)
			id = __atomic_load_n(&k->id, __ATOMIC_RELAXED);
		k = __atomic_load_n(&k->next, __ATOMIC_RELAXED);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&records.forgotten, __ATOMIC_RELAXED) == forgotten ? id : 0;
}

/* Where the next one is going to be; NULL: no room. */
static struct known *make(struct pair key)
{
	struct known *k = arena_take(&records.memory, sizeof *k);
	if (k)
		k->key = key;
	return k;
}

/* Its record is complete. */
static uint32_t add(struct known *k, uint32_t id)
{
	k->id = id;
	k->next = *bucket_of(k->key);
	__atomic_store_n(bucket_of(k->key), k, __ATOMIC_RELEASE);
	return id;
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
	uint32_t known = find(hash);
	if (known)
		return known;
	size_t name = text_length(f->name) + 1, file = text_length(f->file) + 1;
	struct scp_source_function *r;
	struct known *k;
	uint64_t bytes = sizeof *r + name + file;
	if (records.functions == PYTHON_FUNCTIONS_MAX || !(k = make(hash)) ||
	    !(r = modules_record(&records.chunk, SCP_OPTIONAL_SOURCE, SCP_REC_SOURCE_FUNCTION,
				 bytes)))
		return 0;
	r->id = records.functions + 1;
	r->language = SCP_LANGUAGE_PYTHON;
	r->first_line = count_from_0(f->lines.first_line);
	r->name_bytes = (uint32_t)name;
	r->file_bytes = (uint32_t)file;
	bytes_copy(r->strings, f->name, name);
	bytes_copy(r->strings + name, f->file, file);
	file_publish_record(&records.chunk, r->rec.bytes);
	return add(k, ++records.functions);
}

static uint32_t record_place(uint32_t function, const struct python_place *p)
{
	struct pair key = line_key(function, p->start, BY_PLACE);
	uint32_t known = find(key);
	if (known)
		return known;
	struct scp_source_line *r;
	struct known *k;
	if (records.lines == PYTHON_LINES_MAX || !(k = make(key)) ||
	    !(r = modules_record(&records.chunk, SCP_OPTIONAL_SOURCE, SCP_REC_SOURCE_LINE,
				 sizeof *r)))
		return 0;
	r->id = records.lines + 1;
	r->function = function;
	r->line = count_from_0(p->line);
	r->column = count_from_0(p->column + 1);
	r->end_column = p->end_line == p->line ? count_from_0(p->end_column + 1) : 0;
	r->instruction = p->start;
	file_publish_record(&records.chunk, r->rec.bytes);
	return add(k, ++records.lines);
}

uint32_t python_record_line(uint32_t function, uint32_t instruction, const struct python_place *p)
{
	struct known *k = make(line_key(function, instruction, BY_INSTRUCTION));
	uint32_t id = k ? record_place(function, p) : 0;
	return id ? add(k, id) : 0;
}

uint32_t python_record_find(uint32_t function, uint32_t instruction)
{
	return find(line_key(function, instruction, BY_INSTRUCTION));
}

void python_record_forget(void)
{
	__atomic_store_n(&records.forgotten, records.forgotten + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned i = 0; records.functions && i < BUCKETS; i++)
		__atomic_store_n(&records.bucket[i], NULL, __ATOMIC_RELAXED);
	arena_reset(&records.memory);
	records.chunk = (struct file_chunk){0};
	records.functions = records.lines = 0;
}
