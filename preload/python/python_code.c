// SPDX-License-Identifier: Apache-2.0
/* Nodes never move, and are never freed: paths note where they lie. There is one for each address
 * that a code object had; another code object there gets another serial. */
#include "preload/filter/below_names.h"
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/python/python_code.h"
#include "preload/python/python_code_line.h"
#include "preload/python/python_code_watch.h"
#include "preload/python/python_object.h"
#include "preload/python/python_record.h"

#define BUCKETS	    8192u
#define FIRST_BYTES (64u << 10)
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
	forget_codes();
	python_code_line_forget();
	python_record_forget();
}

struct adding {
	struct scp_thread *t;
	const struct python_layout *layout;
	uint64_t address;
	struct python_code *found;
};

static uint64_t code_bytes(const struct python_layout *l)
{
	uint64_t most = l->code_table;
	const uint16_t at[] = {l->code_filename, l->code_name, l->code_first_line, l->object_type};
	for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
		most = at[i] > most ? at[i] : most;
	return most + 8;
}

/* A code object that lives: an object's first word counts its references. (Since 3.12 half of it
 * does, and that is never 0 in an immortal one.) */
static bool is_code(const struct adding *a)
{
	const struct python_layout *l = a->layout;
	return python_object_can_read(a->t, a->address, code_bytes(l)) &&
	       python_object_word(a->address + l->object_type) == l->code_type &&
	       (int64_t)python_object_word(a->address) > 0;
}

static bool read_function(const struct adding *a, struct python_function *f)
{
	const struct python_layout *l = a->layout;
	return python_object_text(a->t, l, python_object_word(a->address + l->code_name), f->name,
				  sizeof f->name, PYTHON_OBJECT_BEGINNING) &&
	       python_object_text(a->t, l, python_object_word(a->address + l->code_filename),
				  f->file, sizeof f->file, PYTHON_OBJECT_END) &&
	       python_object_lines(a->t, l, a->address, &f->lines);
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

static void add_step(void *argument)
{
	static struct python_function f; /* the right is held; stacks may be small */
	struct adding *a = argument;
	struct python_code *c = find(a->address);
	if (!codes.allowed)
		return;
	if (lives(c)) { /* another thread was faster */
		a->found = c;
		return;
	}
	uint32_t id = is_code(a) && read_function(a, &f) ? python_record_function(&f) : 0;
	if (!id || (!c && !(c = make(a->address))))
		return;
	c->function = id;
	c->is_below = below_names_source(f.file, f.name);
	__atomic_store_n(&c->serial, ++codes.serial, __ATOMIC_RELEASE);
	a->found = c;
}

const struct python_code *python_code_find(struct scp_thread *t, const struct python_layout *layout,
					   uint64_t address)
{
	struct python_code *c = find(address);
	if (!__atomic_load_n(&codes.allowed, __ATOMIC_ACQUIRE))
		return NULL;
	if (lives(c))
		return c;
	struct adding a = {t, layout, address, NULL};
	modules_exclusive(add_step, &a);
	return a.found;
}
