// SPDX-License-Identifier: Apache-2.0
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/python/python_private.h"

#define BUCKETS	    8192u
#define FIRST_BYTES (64u << 10)

/* Nodes never move, and are never freed: paths note where they lie. There is one for each address
 * that a code object had; another code object there gets another serial. */
#define MEMORY_MOST (32u << 20) /* half a million addresses */

static struct {
	struct python_code *bucket[BUCKETS];
	struct arena memory;
	uint64_t serial; /* the latest */
	bool allowed;
} codes = {.memory = {.first = FIRST_BYTES, .limit = MEMORY_MOST}};

static struct python_code **bucket_of(uint64_t address)
{
	return &codes.bucket[hash_mix(address) % BUCKETS];
}

static struct python_code *find(uint64_t address)
{
	struct python_code *c = __atomic_load_n(bucket_of(address), __ATOMIC_ACQUIRE);
	while (c && c->address != address)
		c = c->next;
	return c;
}

static bool lives(const struct python_code *c)
{
	return c && __atomic_load_n(&c->serial, __ATOMIC_ACQUIRE);
}

void python_code_die(uint64_t address)
{
	struct python_code *c = find(address);
	if (c)
		__atomic_store_n(&c->serial, 0, __ATOMIC_RELEASE);
}

static void forget_codes(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct python_code *c = codes.bucket[i]; c; c = c->next)
			__atomic_store_n(&c->serial, 0, __ATOMIC_RELEASE);
}

void python_code_allow(bool seen)
{
	__atomic_store_n(&codes.allowed, seen, __ATOMIC_RELEASE);
	if (!seen)
		forget_codes();
}

void python_code_forget(void)
{
	if (codes.serial) /* else its pages stay untouched */
		forget_codes();
	python_record_forget();
}

/* A code object that lives: an object's first word counts its references. (Since 3.12 half of it
 * does, and that is never 0 in an immortal one.) */
static bool is_code(struct scp_thread *t, const struct python_layout *l, uint64_t address)
{
	return python_object_is_code(t, l, address) && (int64_t)python_object_word(address) > 0;
}

static bool read_function(struct scp_thread *t, const struct python_layout *l, uint64_t address,
			  struct python_function *f)
{
	return python_object_text(t, l, python_object_word(address + l->code_name), f->name,
				  sizeof f->name, PYTHON_OBJECT_BEGINNING) &&
	       python_object_text(t, l, python_object_word(address + l->code_filename), f->file,
				  sizeof f->file, PYTHON_OBJECT_END) &&
	       python_object_lines(t, l, address, &f->lines);
}

/* Memory for one more that is not to be found yet. */
static struct python_code *make(uint64_t address)
{
	struct python_code *c = arena_take(&codes.memory, sizeof *c);
	if (!c)
		return NULL;
	c->address = address;
	c->next = *bucket_of(address);
	__atomic_store_n(bucket_of(address), c, __ATOMIC_RELEASE);
	return c;
}

/* With the right to add records. */
static struct python_code *add(struct scp_thread *t, const struct python_layout *l,
			       uint64_t address)
{
	static struct python_function f; /* the right is held; stacks may be small */
	struct python_code *c = find(address);
	if (!codes.allowed)
		return NULL;
	if (lives(c)) /* another thread was faster */
		return c;
	uint32_t id = is_code(t, l, address) && read_function(t, l, address, &f)
			      ? python_record_function(&f)
			      : 0;
	if (!id || (!c && !(c = make(address))))
		return NULL;
	c->function = id;
	__atomic_store_n(&c->serial, ++codes.serial, __ATOMIC_RELEASE);
	return c;
}

const struct python_code *python_code_find(struct scp_thread *t, const struct python_layout *layout,
					   uint64_t address)
{
	struct python_code *c = find(address);
	uint64_t signals;
	if (!__atomic_load_n(&codes.allowed, __ATOMIC_ACQUIRE))
		return NULL;
	if (lives(c))
		return c;
	if (!modules_enter(&signals))
		return NULL;
	c = add(t, layout, address);
	modules_leave(&signals);
	return c;
}

/* With the right to add records. 0: no room. */
static uint32_t add_line(struct scp_thread *t, const struct python_layout *layout,
			 const struct python_code *code, uint32_t function, int64_t instruction)
{
	struct python_lines table;
	uint32_t id = 0;

	/* It was forgotten meanwhile: its function is of another file. */
	if (!code->serial || function != code->function ||
	    (id = python_record_find(function, (uint32_t)instruction)) ||
	    !python_object_lines(t, layout, code->address, &table))
		return id;
	struct python_place place = python_table_find(&table, instruction);
	return python_record_line(function, (uint32_t)instruction, &place);
}

uint64_t python_code_line(struct scp_thread *t, const struct python_layout *layout,
			  const struct python_code *code, int64_t instruction)
{
	uint32_t function = code->function, id;
	uint64_t signals;

	if (instruction < 0)
		instruction = -1;
	if (!function || instruction >= UINT32_MAX)
		return 0;
	id = python_record_find(function, (uint32_t)instruction);
	if (!id && modules_enter(&signals)) {
		id = add_line(t, layout, code, function, instruction);
		modules_leave(&signals);
	}
	return id ? SCP_FRAME(SCP_FRAME_SOURCE, 0, id) : 0;
}
