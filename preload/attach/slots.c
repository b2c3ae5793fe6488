// SPDX-License-Identifier: Apache-2.0
/* The loader's own lock keeps objects from being opened, relocated and closed meanwhile: dlsym
 * holds it while it asks the resolver of an indirect function, and ours does the work. Without it
 * a thread that opens a library could have its pages protected while it still relocates them.
 *
 * A forked child does not look through new objects: another thread may have held a lock of the
 * loader when it was made, and the child would wait for ever in a call of dlsym that is otherwise
 * sound. What was written before the fork it has, too, and puts back by the entries alone: an
 * entry is complete before its word is written, and stays so until that is put back. */
#include <elf.h>
#include <errno.h>

#include "preload/attach/slots.h"
#include "preload/system/sys.h"
#include "preload/process/libc.h"
#include "preload/unwind/unwind.h"

/* An object that was looked through, and its entries. */
struct known {
	uint64_t base, dynamic;
	uint32_t first, count;
};

struct entry {
	uint64_t *word; /* NULL: not complete */
	uint64_t before, real, ours;
	uint64_t base; /* of its object */
	bool is_relro;
};

static struct {
	struct slots_list objects, known, entries;
	struct slots_loads loads; /* when last looked through */
	struct scp_attach_slots *counts;
	int pid;     /* that wrote them; 0: none are written */
	bool forked; /* from that one */
	bool some_have_rpath;
} slots;

/* What this thread asks the resolver to do. (dlsym is declared to call nobody back.) */
static __thread void (*volatile wanted)(void);

static void nothing(void)
{
}

static void (*work_under_lock(void))(void)
{
	void (*work)(void) = wanted;
	uint64_t signals;
	wanted = NULL;
	if (work) {
		sys_hold_signals(&signals); /* a handler must not call the loader in between */
		work();
		slots_store_close();
		sys_release_signals(&signals);
	}
	return nothing;
}

EXPORT void scprof_slots_locked_1(void) __attribute__((ifunc("work_under_lock")));

/* Do `work` under the loader's lock, with signals held: no object is closed meanwhile. False: the
 * lock could not be had, and nothing was done. */
static bool locked(void (*work)(void))
{
	wanted = work;
	libc_find("scprof_slots_locked_1");
	bool done = !wanted;
	wanted = NULL;
	return done;
}

static struct known *known_at(uint32_t i)
{
	return (struct known *)slots.known.at + i;
}

static struct entry *entry_at(uint32_t i)
{
	return (struct entry *)slots.entries.at + i;
}

static void set_entry(struct entry *to, const struct entry *e)
{
	uint64_t *word = e->word;
	if (to == e)
		return;
	__atomic_store_n(&to->word, NULL, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*to = (struct entry){NULL, e->before, e->real, e->ours, e->base, e->is_relro};
	__atomic_store_n(&to->word, word, __ATOMIC_RELEASE);
}

static void lead(const struct slots_object *o, uint64_t *word, uint64_t before,
		 const struct slots_name *n)
{
	struct entry *e = slots_memory_add(&slots.entries, sizeof *e);
	bool is_relro = (uint64_t)word >= o->relro && (uint64_t)word < o->relro_end;
	if (e)
		set_entry(e, &(struct entry){word, before, n->real, n->ours, o->base, is_relro});
	enum slots_stored stored = e ? slots_store_swap(o, word, before, n->ours) : SLOTS_FAILED;
	if (stored == SLOTS_STORED) {
		slots.counts->written++;
		slots.counts->unbound += before != n->real && before != n->twin;
		return;
	}
	slots.entries.count -= e != NULL;
	slots.counts->failed += stored == SLOTS_FAILED;
	slots.counts->other += stored == SLOTS_CHANGED;
}

/* The marker reads the word twice, and scopes are open for hours: it can never be 0 again. What it
 * leads to does nothing while nothing is recorded. */
static void lead_region(const struct slots_object *o, uint64_t *word, uint64_t value,
			const struct slots_name *n)
{
	enum slots_stored stored =
		value == n->ours ? SLOTS_STORED : slots_store_swap(o, word, 0, n->ours);
	slots.counts->kept += stored == SLOTS_STORED;
	slots.counts->failed += stored == SLOTS_FAILED;
}

#define UNBOUND_BYTES 9u /* of code, which tell */

/* `code`: where the word of relocation `index` of DT_JMPREL points to. Does it push that index, as
 * an entry of a linkage table does whose function is not known yet? System V ABI, AMD64 supplement,
 * 5.2. */
static bool is_unbound(const uint8_t *code, uint64_t index)
{
	static const uint8_t landing[4] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	uint32_t pushed;
	code += bytes_equal(code, landing, sizeof landing) ? sizeof landing : 0;
	bytes_copy(&pushed, code + 1, sizeof pushed);
	return *code == 0x68 && pushed == index;
}

/* `index`: of a slot that lazy binding may fill; else -1. */
static void consider(const struct slots_object *o, uint64_t *word, const char *name, uint64_t index)
{
	uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
	uint32_t at = 0, hash = symbols_hash(name);
	struct slots_name *n, *first = NULL;
	while ((n = slots_names_next(name, hash, &at))) {
		if (n->is_region) {
			lead_region(o, word, value, n);
			return;
		}
		if (value == n->ours)
			return;
		if (value == n->real || (value && value == n->twin)) {
			lead(o, word, value, n);
			return;
		}
		first = first ? first : n;
	}
	if (!first || !value)
		return;
	if (index == ~UINT64_C(0) || !slots_object_has(o, value, UNBOUND_BYTES, PF_R | PF_X) ||
	    !is_unbound((const uint8_t *)value, index))
		slots.counts->other++;
	else if (slots_names_is_unique(first, &slots.objects))
		lead(o, word, value, first);
	else
		slots.counts->skipped++;
}

static void look_through_table(const struct slots_object *o, unsigned table)
{
	const Elf64_Rela *r = o->rela[table];
	for (uint64_t i = 0; r && i < o->relocations[table]; i++, r++) {
		uint32_t type = ELF64_R_TYPE(r->r_info);
		uint64_t *word = (uint64_t *)(o->base + r->r_offset);
		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
		     type != R_X86_64_64) ||
		    ((uint64_t)word & 7))
			continue;
		/* Data may have many: names are looked up where it can matter. */
		if (type == R_X86_64_64 && (r->r_addend || !slots_names_leads(*word)))
			continue;
		consider(o, word, o->names.string + o->names.symbol[ELF64_R_SYM(r->r_info)].st_name,
			 type == R_X86_64_JUMP_SLOT && table == SLOTS_CALLS ? i : ~UINT64_C(0));
	}
}

/* Its slots, after those that it has already. */
static void look_through(struct slots_object *o)
{
	struct known *k = slots_memory_add(&slots.known, sizeof *k);
	if (!k) {
		slots.counts->failed++;
		return;
	}
	*k = (struct known){o->base, o->dynamic, slots.entries.count, 0};
	for (unsigned table = 0; table < SLOTS_TABLES; table++)
		look_through_table(o, table);
	k->count = slots.entries.count - k->first;
	slots.counts->objects++;
}

static struct slots_object *find_object(const struct known *k, uint32_t near)
{
	struct slots_object *o = slots.objects.at;
	uint32_t count = slots.objects.count;
	for (uint32_t i = 0; i < count; i++) {
		struct slots_object *x = &o[(near + i) % count];
		if (x->base == k->base && x->dynamic == k->dynamic)
			return x;
	}
	return NULL;
}

/* Is it the object of that time? One loaded again at the same place leads nowhere to us. */
static bool is_same(const struct known *k, bool some_were_closed)
{
	for (uint32_t i = 0; i < k->count; i++)
		if (*entry_at(k->first + i)->word == entry_at(k->first + i)->ours)
			return true;
	return !k->count && !some_were_closed;
}

/* The objects that are loaded now. Those that are not any more are forgotten, and the others
 * marked. False: there is no memory. */
static bool collect_objects(void)
{
	struct slots_loads before = slots.loads;
	uint32_t kept = 0, entries = 0;

	if (!slots_object_collect(&slots.objects, &slots.loads)) {
		slots.counts->failed++;
		return false;
	}
	for (uint32_t i = 0; i < slots.known.count; i++) {
		struct known k = *known_at(i);
		struct slots_object *o = find_object(&k, i);
		if (!o || !is_same(&k, before.removed != slots.loads.removed)) {
			slots.counts->gone += k.count;
			continue;
		}
		o->is_known = true;
		for (uint32_t e = 0; e < k.count; e++)
			set_entry(entry_at(entries + e), entry_at(k.first + e));
		k.first = entries;
		entries += k.count;
		*known_at(kept++) = k;
	}
	slots.known.count = kept;
	slots.entries.count = entries;
	return true;
}

static void look_through_new(void)
{
	/* The session may have ended while this thread waited for the lock. */
	if (!slots.pid || !collect_objects())
		return;
	if (!slots_names_make(&slots.objects)) {
		slots.counts->failed++;
		return;
	}
	struct slots_object *o = slots.objects.at;
	for (uint32_t i = 0; i < slots.objects.count; i++) {
		slots.some_have_rpath |= o[i].has_rpath;
		if (!o[i].is_known && !o[i].is_kept)
			look_through(&o[i]);
	}
}

static void put_back_entry(const struct slots_object *o, const struct entry *e)
{
	enum slots_stored stored = slots_store_swap(o, e->word, e->ours, e->before);
	bool changed = stored == SLOTS_CHANGED; /* by the loader: bound at last; or by another */
	bool bound = changed && (*e->word == e->before || *e->word == e->real);

	slots.counts->put_back += stored == SLOTS_STORED || bound;
	slots.counts->failed += stored == SLOTS_FAILED;
	slots.counts->changed += changed && !bound;
}

/* What could not be, the next session has among its own, and puts back at its end. */
static void put_all_back(void)
{
	uint32_t failed = slots.counts->failed;
	slots.pid = 0;
	if (!collect_objects())
		return;
	for (uint32_t i = 0; i < slots.known.count; i++) {
		const struct known *k = known_at(i);
		const struct slots_object *o = find_object(k, i);
		for (uint32_t e = 0; o && e < k->count; e++)
			put_back_entry(o, entry_at(k->first + e));
	}
	if (slots.counts->failed == failed)
		slots.known.count = slots.entries.count = 0;
}

/* The object that the word was in when it was written, as far as storing needs it. */
static bool find_mapped(const struct entry *e, Elf64_Phdr *segment, struct slots_object *o)
{
	struct unwind_object found;
	if (!unwind_object_find_object((uint64_t)e->word, &found) || found.base != e->base)
		return false;
	*segment = (Elf64_Phdr){.p_type = PT_LOAD,
				.p_flags = PF_R | PF_W,
				.p_vaddr = (uint64_t)e->word - e->base,
				.p_memsz = sizeof *e->word};
	*o = (struct slots_object){.base = e->base,
				   .header = segment,
				   .headers = 1,
				   .relro_end = e->is_relro ? UINT64_MAX : 0};
	return true;
}

/* In a forked child. What the thread that is not here had counted is counted again. */
static void put_back_alone(void)
{
	struct scp_attach_slots *n = slots.counts;
	struct slots_object o;
	Elf64_Phdr segment;
	uint64_t signals;
	sys_hold_signals(&signals);
	n->written = n->put_back = n->changed = n->gone = n->failed = 0;
	for (uint32_t i = 0; i < slots.entries.count; i++) {
		const struct entry *e = entry_at(i);
		if (!e->word)
			continue;
		n->written++;
		if (!find_mapped(e, &segment, &o))
			n->gone++;
		else
			put_back_entry(&o, e);
	}
	slots_store_close();
	slots.known.count = slots.entries.count = 0;
	sys_release_signals(&signals);
}

/* Of objects that were opened since. Called by dlsym as the program calls it, too. */
static void write_new(void)
{
	struct scp_attach_slots *n = slots.counts;
	int saved = errno;
	if (n && slots.pid && !slots.forked && !sys_sandboxed && slots.pid == sys_getpid() &&
	    slots_object_loads().added != slots.loads.added)
		n->failed += !locked(look_through_new);
	errno = saved;
}

void slots_write(struct scp_attach_slots *n)
{
	int saved = errno;
	slots.counts = n;
	slots.forked = false;
	slots.pid = sys_getpid();
	slots_entry_prepare(write_new, &slots.some_have_rpath);
	n->failed += !locked(look_through_new);
	errno = saved;
}

void slots_put_back(struct scp_attach_slots *n)
{
	int saved = errno;
	slots.counts = n;
	if (slots.forked || (!sys_sandboxed && slots.pid != sys_getpid()))
		put_back_alone();
	else
		n->failed += !locked(put_all_back);
	slots.pid = 0; /* even without the lock */
	errno = saved;
}

bool slots_forked(void)
{
	slots_store_close(); /* a page may have been open */
	slots.forked = slots.pid != 0;
	return slots.forked;
}
