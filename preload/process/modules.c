// SPDX-License-Identifier: Apache-2.0
/* Numbering loaded objects. An address range may be taken by another object
 * after dlclose: a number holds while path and build-id stay the same. */
#include "preload/process/modules.h"

#include <link.h>

#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/system/sys.h"
#include "preload/unwind/unwind.h"

#define MODULES_MAX 4096u

/* The right to add PROCESS records, process.chunk_busy. */
enum { FREE, HELD, AWAITED /* held, and a thread sleeps until it is not */ };
/* Its holder makes system calls and may lose its CPU, and so may a thread that grows the file: who
 * gave up after a while would have a call path without a module for good. So threads sleep, a
 * second at most: a debugger may have stopped the other one alone, or a child of vfork was killed
 * with it. Then nobody sleeps again until it is given back: a process loses that second once. */
#define WAIT_NS	   10000000l
#define MOST_WAITS 100u
#define SPINS	   2000u /* before the first wait; all there are where no system call may be made */

static struct slot {
	uint64_t base, start, end;
	uint64_t path, file; /* hashes of the recorded path, and of its last part */
	uint32_t build_id_bytes;
	uint32_t generation; /* of process_epoch, when last compared */
	uint8_t build_id[SCP_BUILD_ID_MAX];
} slots[MODULES_MAX] LARGE;
static uint32_t slot_count;
static uint32_t right_stuck, growth_stuck; /* somebody slept for it in vain */

extern const char ours_start[] __asm__("__ehdr_start") HIDDEN;
extern const char ours_end[] __asm__("_end") HIDDEN;

bool modules_is_ours(uint64_t pc)
{
	return pc >= (uint64_t)ours_start && pc < (uint64_t)ours_end;
}

uint64_t modules_identity(uint32_t id)
{
	if (!id || id > __atomic_load_n(&slot_count, __ATOMIC_ACQUIRE))
		return 0;
	const struct slot *s = &slots[id - 1];
	uint64_t hash = TEXT_HASH;
	for (uint32_t i = 0; i < s->build_id_bytes; i++)
		hash = (hash ^ s->build_id[i]) * UINT64_C(0x100000001b3);
	return s->build_id_bytes ? hash : s->path;
}

void modules_reset(void)
{
	__atomic_store_n(&slot_count, 0, __ATOMIC_RELEASE);
}

/* The NT_GNU_BUILD_ID note among the notes of one segment. */
static uint32_t note_build_id(const uint8_t *p, const uint8_t *end, uint8_t *out)
{
	while (end - p >= (long)sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)p;
		uint64_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;
		const uint8_t *text = p + sizeof *n;
		if (name + desc > (uint64_t)(end - text))
			return 0;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    bytes_equal(text, "GNU", 3)) {
			uint32_t bytes =
				n->n_descsz > SCP_BUILD_ID_MAX ? SCP_BUILD_ID_MAX : n->n_descsz;
			bytes_copy(out, text + name, bytes);
			return bytes;
		}
		p = text + name + desc;
	}
	return 0;
}

/* From the program headers in memory. Objects whose first page is not their ELF
 * header have none for us. */
static uint32_t build_id(const struct unwind_object *o, uint8_t *out)
{
	uint32_t count;
	const ElfW(Phdr) *p = unwind_object_headers(o, &count);
	for (uint32_t i = 0; p && i < count; i++, p++) {
		uint64_t at = o->base + p->p_vaddr;
		if (p->p_type != PT_NOTE || at < o->start || at > o->end ||
		    p->p_filesz > o->end - at)
			continue;
		uint32_t n =
			note_build_id((const uint8_t *)at, (const uint8_t *)at + p->p_filesz, out);
		if (n)
			return n;
	}
	return 0;
}

static uint64_t hash_name(const char *name)
{
	return text_hash(TEXT_HASH, name, SIZE_MAX);
}

static bool same_path(const struct slot *s, const char *name)
{
	if (!*name)
		return s->path == hash_name(settings.exe);
	return s->path == hash_name(name) ||
	       (*name != '/' && s->file == hash_name(text_basename(name)));
}

static struct slot *find(const struct unwind_object *o)
{
	uint32_t generation = process_epoch.now.generation;
	uint32_t count = __atomic_load_n(&slot_count, __ATOMIC_ACQUIRE);
	for (struct slot *s = slots; s < slots + count; s++) {
		if (s->start != o->start || s->end != o->end || s->base != o->base)
			continue;
		uint8_t id[SCP_BUILD_ID_MAX];
		if (s->generation == generation ||
		    (same_path(s, o->name) && build_id(o, id) == s->build_id_bytes &&
		     bytes_equal(id, s->build_id, s->build_id_bytes))) {
			s->generation = generation;
			return s;
		}
	}
	return NULL;
}

static bool may_sleep(const uint32_t *stuck)
{
	return !sys_sandboxed && !__atomic_load_n(stuck, __ATOMIC_RELAXED);
}

/* Sleep while *word is `is`. False: nobody is to sleep, or that was long enough. */
static bool wait_while(uint32_t *word, uint32_t is, unsigned *waits, uint32_t *stuck)
{
	if (!may_sleep(stuck))
		return false;
	if (++*waits > MOST_WAITS) {
		__atomic_store_n(stuck, 1, __ATOMIC_RELAXED);
		return false;
	}
	sys_futex_wait(word, is, WAIT_NS);
	return true;
}

/* Of an optional type, or (0) of PROCESS records. Growing the file may be another thread's work,
 * which is waited for. */
static bool begin_chunk(struct file_chunk *c, uint32_t type)
{
	uint32_t growing;
	unsigned waits = 0;
	do {
		growing = __atomic_load_n(&process.file->growing, __ATOMIC_ACQUIRE);
		if (type ? file_optional_chunk(process.file, c, type, 0)
			 : file_chunk(process.file, c, 2 * SCP_GRANULE, SCP_CHUNK_PROCESS, 0)) {
			__atomic_store_n(&growth_stuck, 0, __ATOMIC_RELAXED);
			return true;
		}
	} while (growing && wait_while(&process.file->growing, growing, &waits, &growth_stuck));
	return false;
}

void *modules_record(struct file_chunk *c, uint32_t chunk_type, uint32_t type, uint64_t bytes)
{
	bytes = (bytes + SCP_RECORD_ALIGN - 1) / SCP_RECORD_ALIGN * SCP_RECORD_ALIGN;
	struct scp_record *r = file_next_record(c, bytes);
	if (!r && begin_chunk(c, chunk_type))
		r = file_next_record(c, bytes);
	if (r)
		*r = (struct scp_record){type, (uint32_t)bytes};
	return r;
}

/* Under the lock. */
static struct slot *add(const struct unwind_object *o)
{
	const char *name = *o->name ? o->name : settings.exe;
	static char here[512]; /* the lock is held; stacks may be small */
	size_t n = 0;
	if (*name != '/' && *o->name && !sys_sandboxed && text_length(name) > 0) {
		long r = sys2(SYS_getcwd, here, sizeof here - 1);
		n = r > 1 ? text_append(here, sizeof here, (size_t)r - 1, "/") : 0;
	}
	uint64_t bytes = sizeof(struct scp_module) + n + text_length(name) + 1;
	struct scp_module *m = NULL;
	if (slot_count < MODULES_MAX)
		m = modules_record(&process.chunk, 0, SCP_REC_MODULE, bytes);
	if (!m)
		return NULL;
	m->id = slot_count + 1;
	m->base = o->base;
	m->start = o->start;
	m->end = o->end;
	bytes_copy(m->path, here, n);
	text_append(m->path, m->rec.bytes - sizeof *m, n, name);
	struct slot *s = &slots[slot_count];
	*s = (struct slot){.base = o->base,
			   .start = o->start,
			   .end = o->end,
			   .path = text_hash(text_hash(TEXT_HASH, here, n), name, SIZE_MAX),
			   .file = hash_name(text_basename(name)),
			   .generation = process_epoch.now.generation};
	m->build_id_bytes = s->build_id_bytes = build_id(o, s->build_id);
	bytes_copy(m->build_id, s->build_id, sizeof m->build_id);
	file_publish_record(&process.chunk, m->rec.bytes);
	__atomic_store_n(&slot_count, slot_count + 1, __ATOMIC_RELEASE);
	return s;
}

static bool take_if(uint32_t is, uint32_t to)
{
	return __atomic_compare_exchange_n(&process.chunk_busy, &is, to, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* The mutex of Drepper, "Futexes Are Tricky" (2011), section 5, with an end to waiting: a thread
 * that slept takes it as AWAITED, since others may sleep, too. */
static COLD bool take_later(void)
{
	unsigned waits = 0;
	for (unsigned i = 0; i < SPINS; i++) {
		if (take_if(FREE, HELD))
			return true;
		arch_relax();
	}
	if (!may_sleep(&right_stuck))
		return false;
	do {
		if (__atomic_exchange_n(&process.chunk_busy, AWAITED, __ATOMIC_ACQUIRE) == FREE)
			return true;
	} while (wait_while(&process.chunk_busy, AWAITED, &waits, &right_stuck));
	return false;
}

void modules_leave(const uint64_t *signals)
{
	__atomic_store_n(&right_stuck, 0, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&process.chunk_busy, FREE, __ATOMIC_RELEASE) == AWAITED &&
	    !sys_sandboxed)
		sys_futex_wake(&process.chunk_busy);
	sys_release_signals(signals);
}

COLD bool modules_enter(uint64_t *signals)
{
	sys_hold_signals(signals);
	if (take_if(FREE, HELD) || take_later())
		return true;
	sys_release_signals(signals);
	return false;
}

/* An object that is not numbered yet, or another thread is about to number. */
static COLD struct slot *find_or_add(const struct unwind_object *o)
{
	uint64_t signals;
	if (!modules_enter(&signals))
		return NULL;
	struct slot *s = find(o) ?: add(o);
	modules_leave(&signals);
	return s;
}

uint64_t modules_known_frame(uint64_t pc)
{
	struct unwind_object o;
	const struct slot *s = unwind_object_find_object(pc - 1, &o) ? find(&o) : NULL;
	return s ? SCP_FRAME((uint32_t)(s - slots) + 1, false, pc - o.base)
		 : SCP_FRAME(0, false, pc);
}

uint64_t modules_frame(uint64_t pc, bool exact)
{
	struct unwind_object o;
	if (!unwind_object_find_object(exact ? pc : pc - 1, &o))
		return SCP_FRAME(0, exact, pc);
	struct slot *s = find(&o) ?: find_or_add(&o);
	if (!s) {
		process_loss(modules_lost, 1);
		return SCP_FRAME(0, exact, pc);
	}
	return SCP_FRAME((uint32_t)(s - slots) + 1, exact, pc - o.base);
}
