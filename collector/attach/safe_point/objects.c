// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/safe_point_private.h"
#include "include/scprof_format.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "profile/base/array.h"
#include "profile/base/kernel_file.h"

#define MOST_OBJECTS  4096u
#define MOST_HEADERS  64u
#define MOST_DYNAMIC  512u
#define MOST_FRAMES   (1u << 23) /* of all objects: 64 MiB */
#define MOST_LIBC     8
#define MOST_NOTES    16
#define MOST_LIST     MOST_OBJECTS
#define LONGEST_SPAN  (UINT64_C(1) << 32)
#define TABLE_ENCODED 0x3b /* offsets from the header's address, four signed bytes each */

struct headers {
	Elf64_Ehdr elf;
	Elf64_Phdr program[MOST_HEADERS];
	size_t count;
};

struct auxiliary {
	uint64_t program_headers, loader;
};

static struct auxiliary read_auxiliary(pid_t pid)
{
	struct auxiliary a = {0, 0};
	Elf64_auxv_t entry[64] = {0};
	kernel_file_text((char *)entry, sizeof(entry), "/proc/%d/auxv", (int)pid);
	for (size_t i = 0; i < sizeof(entry) / sizeof(entry[0]); i++)
		if (entry[i].a_type == AT_PHDR)
			a.program_headers = entry[i].a_un.a_val;
		else if (entry[i].a_type == AT_BASE)
			a.loader = entry[i].a_un.a_val;
	return a;
}

static bool read_headers(struct headers *h, pid_t pid, uint64_t base)
{
	Elf64_Ehdr *e = &h->elf;
	if (!memory_read(pid, base, e, sizeof(*e)) || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_ident[EI_DATA] != ELFDATA2LSB ||
	    e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phnum == 0 || e->e_phnum > MOST_HEADERS ||
	    e->e_phoff > LONGEST_SPAN)
		return false;
	h->count = e->e_phnum;
	return memory_read(pid, base + e->e_phoff, h->program, h->count * sizeof(h->program[0]));
}

static bool set_bias(struct safe_point_object *o, const struct headers *h, uint64_t base)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < h->count; i++)
		if (h->program[i].p_type == PT_LOAD && h->program[i].p_vaddr < first)
			first = h->program[i].p_vaddr;
	o->base = base;
	o->bias = base - (first & ~UINT64_C(4095));
	return first != UINT64_MAX;
}

/* Where the segments lie. False: no code of it is mapped as its headers say: a file that is only
 * read. */
static bool place(struct safe_point_object *o, const struct headers *h, uint64_t base,
		  const struct proc_map_list *maps)
{
	if (!set_bias(o, h, base))
		return false;
	o->end = base;
	for (const Elf64_Phdr *p = h->program; p < h->program + h->count; p++) {
		uint64_t start = o->bias + p->p_vaddr, end = start + p->p_memsz;
		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_memsz > LONGEST_SPAN || start < base || end - base > LONGEST_SPAN)
			return false;
		if (end > o->end)
			o->end = end;
		const struct proc_map *map = proc_maps_find(maps, start);
		if ((p->p_flags & PF_X) != 0 && o->codes < SAFE_POINT_CODES && map != NULL &&
		    map->executable) {
			o->code[o->codes].start = start;
			o->code[o->codes++].end = end;
		}
	}
	return o->codes > 0;
}

/* The loader turns the offsets of most objects' tables into addresses, but not the vdso's. */
static uint64_t table_address(const struct safe_point_object *o, uint64_t value)
{
	return value == 0 || value >= o->base ? value : o->bias + value;
}

static void read_dynamic(struct safe_point_object *o, pid_t pid, const Elf64_Phdr *p)
{
	Elf64_Dyn d[MOST_DYNAMIC];
	size_t bytes = p->p_memsz < sizeof(d) ? p->p_memsz : sizeof(d);
	size_t count = memory_some(pid, o->bias + p->p_vaddr, d, bytes) / sizeof(d[0]);
	uint64_t soname = 0;
	const struct {
		int64_t tag;
		bool is_address;
		uint64_t *to;
	} known[] = {
		{DT_SYMTAB, true, &o->symbols},	     {DT_STRTAB, true, &o->strings},
		{DT_STRSZ, false, &o->string_bytes}, {DT_VERSYM, true, &o->versions},
		{DT_GNU_HASH, true, &o->gnu_hash},   {DT_HASH, true, &o->sysv_hash},
		{DT_SONAME, false, &soname},	     {DT_DEBUG, false, &o->debug},
	};
	for (size_t i = 0; i < count && d[i].d_tag != DT_NULL; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (d[i].d_tag == known[k].tag)
				*known[k].to = known[k].is_address
						       ? table_address(o, d[i].d_un.d_val)
						       : d[i].d_un.d_val;
	o->soname = o->strings != 0 && soname != 0 ? o->strings + soname : 0;
}

bool objects_read_tables(struct safe_point_object *o, pid_t pid, uint64_t base)
{
	struct headers h;
	*o = (struct safe_point_object){0};
	if (!read_headers(&h, pid, base) || !set_bias(o, &h, base))
		return false;
	for (size_t i = 0; i < h.count; i++)
		if (h.program[i].p_type == PT_DYNAMIC)
			read_dynamic(o, pid, &h.program[i]);
	return o->symbols != 0 && o->strings != 0;
}

static void read_frame_table(struct safe_point_object *o, pid_t pid, const Elf64_Phdr *p,
			     size_t most)
{
	struct {
		uint8_t version, frame_encoding, count_encoding, table_encoding;
		int32_t frame;
		uint32_t count;
	} h;
	uint64_t at = o->bias + p->p_vaddr;
	/* 0x03: four bytes. 0x1b: the same, from its own address. Nobody writes others. */
	if (!memory_read(pid, at, &h, sizeof(h)) || h.version != 1 || h.frame_encoding != 0x1b ||
	    h.count_encoding != 0x03 || h.table_encoding != TABLE_ENCODED || h.count == 0 ||
	    h.count > most)
		return;
	o->frame = memory_copy(pid, at + sizeof(h), (size_t)h.count * 8);
	o->frames = o->frame != NULL ? h.count : 0;
	o->frame_header = at;
}

static enum safe_point_kind kind_of(const struct safe_point_object *o, pid_t pid,
				    const struct auxiliary *a, bool vdso)
{
	static const struct {
		const char *name;
		enum safe_point_kind kind;
	} known[] = {
		{"libc.so.6", SAFE_POINT_LIBC},
		{"libpthread.so.0", SAFE_POINT_PTHREAD},
		{"libdl.so.2", SAFE_POINT_DL},
		{"libscprof.so", SAFE_POINT_OURS},
		{"libscprof-unwind.so", SAFE_POINT_OURS},
		{"scprof-symbols.so", SAFE_POINT_OURS},
	};
	char name[32] = "";
	if (vdso)
		return SAFE_POINT_VDSO;
	if (a->loader != 0 && a->loader == o->base)
		return SAFE_POINT_LOADER;
	if (o->soname != 0)
		memory_some(pid, o->soname, name, sizeof(name) - 1);
	if (strncmp(name, "ld-linux", 8) == 0)
		return SAFE_POINT_LOADER;
	/* Where the loader was started as the program, its list for debuggers tells. */
	if (o->debug != 0 || (a->program_headers >= o->base && a->program_headers < o->end))
		return SAFE_POINT_PROGRAM;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].kind;
	return SAFE_POINT_PLAIN;
}

/* What objects are read from, and how much of them may still be held. */
struct source {
	pid_t pid;
	const struct proc_map_list *maps;
	struct auxiliary auxiliary;
	size_t frames_left;
	int libc_left;
};

/* 1: an object; 0: none; -1: no memory, or what must be known of libc cannot be. */
static int read_object(struct safe_point_object *o, const struct proc_map *map, struct source *s)
{
	struct headers h;
	pid_t pid = s->pid;
	*o = (struct safe_point_object){0};
	if (!read_headers(&h, pid, map->start) || !place(o, &h, map->start, s->maps))
		return 0;
	o->signature_bytes = memory_some(pid, o->base, o->signature, sizeof(o->signature));
	for (size_t i = 0; i < h.count; i++)
		if (h.program[i].p_type == PT_DYNAMIC)
			read_dynamic(o, pid, &h.program[i]);
		else if (h.program[i].p_type == PT_GNU_EH_FRAME && o->frame == NULL)
			read_frame_table(o, pid, &h.program[i], s->frames_left);
	s->frames_left -= o->frames;
	o->kind = kind_of(o, pid, &s->auxiliary, map->vdso);
	if (o->kind == SAFE_POINT_LIBC || o->kind == SAFE_POINT_PTHREAD)
		return s->libc_left-- > 0 && symbols_read(o, pid) ? 1 : -1;
	if (o->kind == SAFE_POINT_PLAIN || o->kind == SAFE_POINT_PROGRAM)
		o->allocator = symbols_find(o, pid, "malloc") != 0;
	return 1;
}

/* What the program itself is linked with, unlike what dlmopen put into a name space of its own:
 * the loader's list for debuggers. */
static void note_namespace(struct safe_point_objects *o)
{
	uint64_t debug = 0;
	for (size_t i = 0; i < o->count; i++)
		if (o->object[i].kind == SAFE_POINT_PROGRAM)
			debug = o->object[i].debug;
	struct {
		uint64_t version, map;
	} list = {0, 0};
	if (debug == 0 || !memory_read(o->pid, debug, &list, sizeof(list)))
		return;
	uint64_t at = list.map;
	for (unsigned i = 0; at != 0 && i < MOST_LIST; i++) {
		uint64_t link[4]; /* l_addr, l_name, l_ld, l_next */
		if (!memory_read(o->pid, at, link, sizeof(link)))
			return;
		for (size_t k = 0; k < o->count; k++)
			if (link[2] >= o->object[k].base && link[2] < o->object[k].end)
				o->object[k].base_namespace = true;
		at = link[3];
	}
}

static void free_object(struct safe_point_object *o)
{
	free(o->function);
	free(o->frame);
}

bool objects_read(struct safe_point_objects *o, pid_t pid, const struct proc_map_list *maps)
{
	struct source s = {.pid = pid,
			   .maps = maps,
			   .auxiliary = read_auxiliary(pid),
			   .frames_left = MOST_FRAMES,
			   .libc_left = MOST_LIBC};
	struct safe_point_object *one = malloc(sizeof(*one));
	objects_free(o);
	o->pid = pid;
	bool ok = one != NULL;
	for (size_t i = 0; ok && i < maps->count && o->count < MOST_OBJECTS; i++) {
		const struct proc_map *map = &maps->map[i];
		if (!map->readable || map->offset != 0 || (map->inode == 0 && !map->vdso))
			continue;
		int got = read_object(one, map, &s);
		bool kept = got == 1 && ARRAY_PUT(o->object, o->count, *one);
		ok = got == 0 || kept;
		if (!kept)
			free_object(one);
	}
	free(one);
	if (ok)
		note_namespace(o);
	return ok && o->count > 0;
}

void objects_free(struct safe_point_objects *o)
{
	for (size_t i = 0; i < o->count; i++)
		free_object(&o->object[i]);
	free(o->object);
	*o = (struct safe_point_objects){0};
}

const struct safe_point_object *objects_find(const struct safe_point_objects *o, uint64_t at)
{
	size_t low;
	BISECT(low, o->count, o->object[low].base <= at);
	if (low == 0)
		return NULL;
	const struct safe_point_object *object = &o->object[low - 1];
	for (size_t i = 0; i < object->codes; i++)
		if (at >= object->code[i].start && at < object->code[i].end)
			return object;
	return NULL;
}

uint32_t objects_build_id(const struct safe_point_object *o, pid_t pid, uint8_t *id)
{
	struct headers h;
	struct {
		uint32_t name_bytes, bytes, type;
		char name[4];
	} note;
	bool found = false;
	if (!read_headers(&h, pid, o->base))
		return 0;
	for (const Elf64_Phdr *p = h.program; p < h.program + h.count; p++) {
		uint64_t at = o->bias + p->p_vaddr, end = at + p->p_memsz;
		for (int k = 0; p->p_type == PT_NOTE && k < MOST_NOTES && at < end && !found; k++) {
			if (!memory_read(pid, at, &note, sizeof(note)))
				break;
			at += 12 + ((uint64_t)note.name_bytes + 3) / 4 * 4;
			found = note.type == NT_GNU_BUILD_ID && memcmp(note.name, "GNU", 4) == 0;
			if (found && note.bytes <= SCP_BUILD_ID_MAX &&
			    memory_read(pid, at, id, note.bytes))
				return note.bytes;
			at += ((uint64_t)note.bytes + 3) / 4 * 4;
		}
	}
	return 0;
}

bool objects_same(const struct safe_point_objects *o, const struct safe_point_object *object)
{
	uint8_t now[SAFE_POINT_SIGNATURE];
	size_t bytes = memory_some(o->pid, object->base, now, sizeof(now));
	return bytes == object->signature_bytes && memcmp(now, object->signature, bytes) == 0;
}
