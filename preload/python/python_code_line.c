// SPDX-License-Identifier: Apache-2.0
/* Lines by function and instruction, of the whole process: equal functions share them. Found
 * without a lock, while another thread may begin anew with the same memory: what was found then is
 * not taken
 * (`forgotten` has changed), and no search goes on for ever. */
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/python/python_code.h"
#include "preload/python/python_code_line.h"
#include "preload/python/python_object.h"
#include "preload/python/python_record.h"

#define BUCKETS	    8192u
#define FIRST_BYTES (64u << 10)
#define MEMORY_MOST (64u << 20)
#define STEPS_MOST  4096u

struct line {
	uint64_t key; /* function << 32 | instruction; 0: none */
	struct line *next;
	uint32_t id;
};

static struct {
	struct line *bucket[BUCKETS];
	struct arena memory;
	uint32_t forgotten; /* how often */
} lines = {.memory = {.first = FIRST_BYTES, .limit = MEMORY_MOST}};

static struct line **bucket_of(uint64_t key)
{
	return &lines.bucket[hash_mix(key) % BUCKETS];
}

/* 0: not known. */
static uint32_t find(uint64_t key)
{
	uint32_t forgotten = __atomic_load_n(&lines.forgotten, __ATOMIC_ACQUIRE), id = 0;
	struct line *l = __atomic_load_n(bucket_of(key), __ATOMIC_ACQUIRE);
	for (unsigned i = 0; l && i < STEPS_MOST; i++) {
		if (__atomic_load_n(&l->key, __ATOMIC_RELAXED) == key) {
			id = __atomic_load_n(&l->id, __ATOMIC_RELAXED);
			break;
		}
		l = __atomic_load_n(&l->next, __ATOMIC_RELAXED);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&lines.forgotten, __ATOMIC_RELAXED) == forgotten ? id : 0;
}

struct adding {
	struct scp_thread *t;
	const struct python_layout *layout;
	const struct python_code *code;
	int64_t instruction;
	uint64_t key;
	uint32_t id;
};

static void add_step(void *argument)
{
	struct adding *a = argument;
	struct python_lines table;
	/* It was forgotten meanwhile: its function is of another file. */
	if (!a->code->serial || a->key >> 32 != a->code->function || (a->id = find(a->key)) ||
	    !python_object_lines(a->t, a->layout, a->code->address, &table))
		return;
	struct python_place place = python_table_find(&table, a->instruction);
	struct line *l = arena_take(&lines.memory, sizeof *l);
	if (l)
		a->id = python_record_line(a->code->function, &place);
	if (!a->id)
		return;
	l->key = a->key;
	l->id = a->id;
	l->next = *bucket_of(a->key);
	__atomic_store_n(bucket_of(a->key), l, __ATOMIC_RELEASE);
}

struct python_frame python_code_line(struct scp_thread *t, const struct python_layout *layout,
				     const struct python_code *code, int64_t instruction)
{
	struct python_frame f = {0, code->is_below};
	if (instruction < 0)
		instruction = -1;
	uint64_t key = (uint64_t)code->function << 32 | (uint32_t)instruction;
	if (!code->function || instruction >= UINT32_MAX)
		return f;
	struct adding a = {t, layout, code, instruction, key, find(key)};
	if (!a.id)
		modules_exclusive(add_step, &a);
	if (a.id)
		f.frame = SCP_FRAME(SCP_FRAME_SOURCE, 0, a.id);
	return f;
}

void python_code_line_forget(void)
{
	__atomic_store_n(&lines.forgotten, lines.forgotten + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < BUCKETS; i++)
		__atomic_store_n(&lines.bucket[i], NULL, __ATOMIC_RELAXED);
	arena_reset(&lines.memory);
}
