// SPDX-License-Identifier: Apache-2.0
/* A hash table of names with linear probing, and a bit map of the originals' addresses. */

#include "preload/attach/slots.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/process/settings.h"

#define BITS 4096u

static struct slots_list names, table; /* of struct slots_name; of uint32_t: index + 1 */
static uint64_t leads[BITS / 64];

static uint32_t bit_of(uint64_t value)
{
	return (uint32_t)(hash_mix(value) % BITS);
}

static void note_lead(uint64_t value)
{
	leads[bit_of(value) / 64] |= UINT64_C(1) << bit_of(value) % 64;
}

/* Before glibc 2.34 libpthread had some of libc's functions, too. 0: `real` is none of these. */
static uint64_t find_twin(const struct slots_list *objects, const struct slots_name *n)
{
	const struct slots_object *o = objects->at;
	uint64_t twin = 0;
	bool is_libc = false;
	for (uint32_t i = 0; i < objects->count; i++) {
		uint64_t here = o[i].is_libc ? slots_object_find(&o[i], n->name, n->hash, NULL) : 0;
		is_libc |= here == n->real;
		twin = here && here != n->real ? here : twin;
	}
	return is_libc ? twin : 0;
}

static void add(const struct slots_list *objects, const char *name, uint64_t ours, uint64_t real)
{
	struct slots_name *n = ours && real ? slots_memory_add(&names, sizeof *n) : NULL;
	if (!n)
		return;
	n->name = name;
	n->hash = symbols_hash(name);
	n->ours = ours;
	n->real = real;
	n->twin = find_twin(objects, n);
	note_lead(real);
	if (n->twin)
		note_lead(n->twin);
}

/* Through our own table of symbols: a pointer to one of our exported functions is bound by the
 * loader, to another's of that name. */
static uint64_t own(const struct slots_list *objects, const char *name)
{
	const struct slots_object *o = objects->at;
	for (uint32_t i = 0; i < objects->count; i++)
		if (o[i].is_own)
			return slots_object_find(&o[i], name, symbols_hash(name), NULL);
	return 0;
}

/* In a program at a fixed address that takes a function's address, that is its own way to it: our
 * wrapper would come back to us from there. Then the first object that defines it has it. */
static uint64_t true_original(const struct slots_list *objects, const char *name, uint64_t real)
{
	const struct slots_object *o = objects->at;
	uint32_t hash = symbols_hash(name);
	uint64_t first = 0;
	for (uint32_t i = 0; i < objects->count; i++) {
		uint64_t here = o[i].is_own ? 0 : slots_object_find(&o[i], name, hash, NULL);
		if (here && slots_object_has(&o[i], real, 1, PF_X))
			return real;
		first = first ? first : here;
	}
	return first;
}

static void add_wrapped(const struct slots_list *objects)
{
	for (unsigned i = 0; i < FN_COUNT; i++) {
		bool hook = i == FN___cyg_profile_func_enter || i == FN___cyg_profile_func_exit;
		if (!function_real[i] || function_real[i] == (void *)function_absent ||
		    (hook && !(settings.groups & SCP_GROUP_FUNCTIONS)))
			continue;
		const char *name = function_info[i].symbol;
		uint64_t real = true_original(objects, name, (uint64_t)function_real[i]);
		if (real)
			function_real[i] = (void *)real;
		add(objects, name, own(objects, name), real);
	}
	entry_real_syscall = function_real[FN_syscall];
	entry_real_prctl = function_real[FN_prctl];
}

static void add_selected(const struct slots_list *objects)
{
	const struct scp_selected_table *t = selected_table();
	for (uint32_t i = 0; t && i < t->count; i++) {
		const struct scp_selected *s = selected_symbol(t, i);
		if (!(s->flags & SCP_SELECTED_SPARE))
			add(objects, selected_text(s, s->name), (uint64_t)selected_stub(t, i),
			    (uint64_t)s->real);
	}
}

static bool make_table(void)
{
	uint32_t *cell;
	uint64_t room = 512;
	while (room < 2 * (uint64_t)names.count)
		room *= 2;
	table.count = 0;
	if (!slots_memory_reserve(&table, sizeof *cell, room))
		return false;
	cell = table.at;
	table.count = (uint32_t)room;
	for (uint32_t i = 0; i < table.count; i++)
		cell[i] = 0;
	for (uint32_t i = 0; i < names.count; i++) {
		uint32_t at = ((struct slots_name *)names.at)[i].hash;
		while (cell[at & (table.count - 1)])
			at++;
		cell[at & (table.count - 1)] = i + 1;
	}
	return true;
}

bool slots_names_make(const struct slots_list *objects)
{
	uint32_t before = names.count;
	names.count = 0;
	for (unsigned i = 0; i < BITS / 64; i++)
		leads[i] = 0;
	if (!slots_memory_reserve(&names, sizeof(struct slots_name),
				  (uint64_t)FN_COUNT + selected_count() + 16)) {
		names.count = before;
		return false;
	}
	add_selected(objects); /* first: a stub stands in front of a wrapper */
	add_wrapped(objects);
	for (unsigned i = 0; i < SLOTS_ENTRIES; i++)
		add(objects, slots_entries[i].name, (uint64_t)slots_entries[i].entry,
		    (uint64_t)*slots_entries[i].real);
	if (settings.groups & SCP_GROUP_REGION) {
		uint64_t regions = own(objects, "scprof_regions_1");
		add(objects, "scprof_regions_1", regions, regions);
		if (names.count)
			((struct slots_name *)names.at)[names.count - 1].is_region = regions != 0;
	}
	return make_table();
}

struct slots_name *slots_names_next(const char *name, uint32_t hash, uint32_t *at)
{
	const uint32_t *cell = table.at;
	while (table.count) {
		uint32_t i = cell[(hash + (*at)++) & (table.count - 1)];
		struct slots_name *n = (struct slots_name *)names.at + i - 1;
		if (!i)
			return NULL;
		if (n->hash == hash && text_equal(n->name, name))
			return n;
	}
	return NULL;
}

bool slots_names_leads(uint64_t value)
{
	return leads[bit_of(value) / 64] >> bit_of(value) % 64 & 1;
}

bool slots_names_is_unique(struct slots_name *n, const struct slots_list *objects)
{
	const struct slots_object *o = objects->at;
	bool several, libc = false;
	if (n->definers)
		return n->definers == 2;
	n->definers = 1;
	for (uint32_t i = 0; i < objects->count; i++) {
		if (o[i].is_kept || !slots_object_find(&o[i], n->name, n->hash, &several))
			continue;
		n->definers += several ? 2 : !(o[i].is_libc && libc);
		libc |= o[i].is_libc;
	}
	return n->definers == 2;
}
