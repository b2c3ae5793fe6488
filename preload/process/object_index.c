// SPDX-License-Identifier: Apache-2.0
/* Loaded objects, where libc has no _dl_find_object: glibc before 2.35, and musl. dl_iterate_phdr
 * takes the loader's lock, which another thread may hold for long, or for ever after a fork. So
 * the kernel's list of mappings says what lies at an address, and the object's own first page,
 * where its parts are. What was found is kept until dlclose; readers take no lock. */
#include <sys/auxv.h>
#include <sys/mman.h>

#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/unwind/unwind.h"

#define OBJECTS_MAX 512u
#define NAMES_BYTES 65536u
#define MISSES	    64u /* pages without an object: generated code */

static struct indexed {
	struct unwind_object object; /* `end` 0: it is gone */
	uint32_t generation;	     /* of process_epoch, when it was last seen there */
} objects[OBJECTS_MAX] LARGE;
static uint32_t object_count;
static LARGE char names[NAMES_BYTES];
static size_t names_used;
static uint64_t misses[MISSES]; /* the page, and the low bits of the generation */

/* The run of mappings of one file that covers an address. */
struct place {
	uint64_t pc, start;		/* of the run */
	uint64_t map_start, map_offset; /* of the mapping that covers it */
	uint64_t file;			/* hash of its path */
	bool readable;			/* its first page is */
	bool has_code;			/* no data file: those may end before their mapping does */
	const char *name;		/* kept in `names`; NULL: no object there */
	uint32_t generation;
	bool found;
	struct unwind_object *object;
};

static const char *keep_name(const char *path)
{
	size_t n = text_length(path) + 1;
	for (uint32_t i = 0; i < object_count; i++)
		if (text_equal(objects[i].object.name, path))
			return objects[i].object.name;
	if (n > NAMES_BYTES - names_used)
		return NULL;
	names_used += n;
	bytes_copy(names + names_used - n, path, n);
	return names + names_used - n;
}

/* From the program headers, which lie in the first page of every object that the loader maps. */
static bool describe(const struct place *p, struct unwind_object *o)
{
	*o = (struct unwind_object){.start = p->start, .end = p->start + 4096, .name = p->name};
	uint32_t count = 0;
	const ElfW(Phdr) *header = unwind_object_headers(o, &count);
	uint64_t first, last;
	bool agrees = false; /* a segment is mapped where the one at hand is */
	unwind_object_extent(header, count, 0, &first, &last);
	o->base = p->start - (first & ~UINT64_C(4095));
	o->end = o->base + last;
	for (uint32_t i = 0; i < count; i++) {
		if (header[i].p_type == PT_GNU_EH_FRAME)
			o->eh_frame_hdr = o->base + header[i].p_vaddr;
		if (header[i].p_type == PT_LOAD)
			agrees |= p->map_start - p->map_offset +
					  (header[i].p_offset & ~UINT64_C(4095)) ==
				  o->base + (header[i].p_vaddr & ~UINT64_C(4095));
	}
	return header && p->pc < o->end && agrees;
}

/* The entries before stay where they are: other threads read them. */
static void note(const struct unwind_object *o, uint32_t generation)
{
	for (struct indexed *x = objects; x < objects + object_count; x++) {
		bool same = bytes_equal(&x->object, o, sizeof *o);
		if (same)
			__atomic_store_n(&x->generation, generation, __ATOMIC_RELEASE);
		else if (x->object.start < o->end && o->start < x->object.end)
			__atomic_store_n(&x->object.end, 0, __ATOMIC_RELEASE);
		if (same)
			return;
	}
	if (object_count == OBJECTS_MAX)
		return;
	objects[object_count] = (struct indexed){*o, generation};
	__atomic_store_n(&object_count, object_count + 1, __ATOMIC_RELEASE);
}

static bool take_place(const struct sys_mapping *m, void *context)
{
	struct place *p = context;
	bool vdso = m->start == getauxval(AT_SYSINFO_EHDR);
	const char *path = vdso ? "linux-vdso.so.1" : m->path; /* as glibc calls it */
	uint64_t file = *path ? text_hash(TEXT_HASH, path, SIZE_MAX) : 0;
	if (file && (file != p->file || !m->offset)) {
		p->start = m->start;
		p->file = file;
		p->readable = (m->protection & PROT_READ) && !m->offset;
		p->has_code = false;
	}
	p->has_code |= (m->protection & PROT_EXEC) != 0;
	if (p->pc < m->start || p->pc >= m->end)
		return p->pc < m->start;
	p->map_start = m->start;
	p->map_offset = m->offset;
	p->name = file && p->readable && p->has_code ? keep_name(path) : NULL;
	p->found = p->name && describe(p, p->object);
	if (p->found)
		note(p->object, p->generation);
	return true;
}

static COLD bool look(uint64_t pc, uint32_t generation, struct unwind_object *o)
{
	struct place p = {.pc = pc, .generation = generation, .object = o};
	uint64_t *miss = &misses[pc >> 12 & (MISSES - 1)];
	uint64_t key = (pc & ~UINT64_C(4095)) | (generation & 4095u);
	/* Nothing says that an object was opened: where nothing is, it is not remembered. */
	if (sys_sandboxed || !sys_can_read(pc & ~UINT64_C(7)) ||
	    __atomic_load_n(miss, __ATOMIC_RELAXED) == key || stack_room() < STACK_TO_DESCRIBE ||
	    !process_read_mappings(take_place, &p))
		return false;
	if (!p.found)
		__atomic_store_n(miss, key, __ATOMIC_RELAXED);
	return p.found;
}

bool object_index_find(uint64_t pc, struct unwind_object *object)
{
	uint32_t count = __atomic_load_n(&object_count, __ATOMIC_ACQUIRE);
	uint32_t generation = process_epoch.now.generation;
	for (const struct indexed *x = objects; x < objects + count; x++) {
		if (pc >= x->object.start &&
		    pc < __atomic_load_n(&x->object.end, __ATOMIC_ACQUIRE) &&
		    __atomic_load_n(&x->generation, __ATOMIC_ACQUIRE) == generation) {
			*object = x->object;
			return object->end != 0;
		}
	}
	return look(pc, generation, object);
}
