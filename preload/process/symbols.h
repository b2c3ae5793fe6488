// SPDX-License-Identifier: Apache-2.0
/* The dynamic symbols of a loaded object, by the hash tables that the dynamic linker uses: System V
 * ABI, chapter 5 (DT_HASH), and the format of GNU ld (DT_GNU_HASH). All inline: selected_early.c
 * has no linker. */
#pragma once

#include <link.h>

#include "preload/system/util.h"

struct symbols {
	uint64_t base; /* load bias of the object */
	const Elf64_Sym *symbol;
	const char *string;
	const uint32_t *gnu_hash, *hash; /* NULL: it has none */
	const uint16_t *version;	 /* of each symbol; the same */
	const Elf64_Verdef *versions;	 /* by which it defines symbols; the same */
};

/* Its value as an address; the loader makes addresses of them in place, but for some objects. */
static inline uint64_t symbols_address(const struct symbols *s, uint64_t value)
{
	return value < s->base ? value + s->base : value;
}

/* Take what this entry of the dynamic section says of symbols. */
static inline void symbols_take(struct symbols *s, const Elf64_Dyn *d)
{
	const void *at = (const void *)symbols_address(s, d->d_un.d_val);
	if (d->d_tag == DT_SYMTAB)
		s->symbol = at;
	else if (d->d_tag == DT_STRTAB)
		s->string = at;
	else if (d->d_tag == DT_GNU_HASH)
		s->gnu_hash = at;
	else if (d->d_tag == DT_HASH)
		s->hash = at;
	else if (d->d_tag == DT_VERSYM)
		s->version = at;
	else if (d->d_tag == DT_VERDEF)
		s->versions = at;
}

/* All that a dynamic section says of them. */
static inline struct symbols symbols_read(uint64_t base, const Elf64_Dyn *d)
{
	struct symbols s = {.base = base};
	for (; d->d_tag != DT_NULL; d++)
		symbols_take(&s, d);
	return s;
}

/* An IFUNC's resolver, called as the loader calls it: of x86-64 without arguments, of AArch64 as by
 * sys/ifunc.h. */
static inline void *symbols_resolve(uint64_t resolver, uint64_t hwcap, uint64_t hwcap2)
{
	uint64_t argument[3] = {sizeof argument, hwcap, hwcap2};
	return ((void *(*)(uint64_t, const uint64_t *))resolver)(hwcap | UINT64_C(1) << 62,
								 argument);
}

/* The dynamic section of an object with these program headers; NULL: it has none. */
static inline const Elf64_Dyn *symbols_dynamic(uint64_t base, const Elf64_Phdr *p, unsigned count)
{
	for (; count; p++, count--)
		if (p->p_type == PT_DYNAMIC)
			return (const void *)(base + p->p_vaddr);
	return NULL;
}

/* The hash of DT_GNU_HASH. */
static inline uint32_t symbols_hash(const char *name)
{
	uint32_t h = 5381;
	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

#define SYMBOLS_HIDDEN_VERSION 0x8000u /* not the one that new programs are linked to */

struct symbols_search {
	const struct symbols *of;
	const char *name, *version; /* NULL: the default one */
	const Elf64_Sym *found;
	bool several;
};

static inline bool symbols_is_of_version(const struct symbols *s, uint32_t index,
					 const char *version)
{
	const Elf64_Verdef *v = s->version ? s->versions : NULL;
	if (!v)
		return true;
	while (v->vd_ndx != (s->version[index] & ~SYMBOLS_HIDDEN_VERSION) && v->vd_next)
		v = (const void *)((const uint8_t *)v + v->vd_next);
	const Elf64_Verdaux *name = (const void *)((const uint8_t *)v + v->vd_aux);
	return v->vd_ndx == (s->version[index] & ~SYMBOLS_HIDDEN_VERSION) &&
	       text_equal(s->string + name->vda_name, version);
}

/* If the symbol is of that name, and defined. */
static inline void symbols_consider(struct symbols_search *f, uint32_t index)
{
	const Elf64_Sym *s = &f->of->symbol[index];
	if (s->st_shndx == SHN_UNDEF || !s->st_value ||
	    !text_equal(f->of->string + s->st_name, f->name) ||
	    (f->version && !symbols_is_of_version(f->of, index, f->version)))
		return;
	f->several |= f->found && f->found->st_value != s->st_value;
	if (!f->found || !f->of->version || !(f->of->version[index] & SYMBOLS_HIDDEN_VERSION))
		f->found = s;
}

static inline void symbols_search_gnu(struct symbols_search *f, uint32_t hash)
{
	const uint32_t *t = f->of->gnu_hash;
	uint32_t buckets = t[0], first = t[1], words = t[2], shift = t[3];
	const uint64_t *bloom = (const uint64_t *)(t + 4);
	const uint32_t *bucket = t + 4 + 2 * (uint64_t)words, *chain = bucket + buckets;
	uint64_t bits = UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> shift) % 64;
	if (!buckets || !words || (bloom[hash / 64 & (words - 1)] & bits) != bits)
		return;
	uint32_t i = bucket[hash % buckets];
	if (i < first)
		return;
	for (;; i++) {
		uint32_t h = chain[i - first];
		if ((h | 1) == (hash | 1))
			symbols_consider(f, i);
		if (h & 1)
			return;
	}
}

static inline void symbols_search_old(struct symbols_search *f)
{
	const uint32_t *t = f->of->hash;
	uint32_t h = 0, buckets = t[0];
	for (const char *at = f->name; *at; at++) {
		h = (h << 4) + (uint8_t)*at;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	const uint32_t *bucket = t + 2, *chain = bucket + buckets;
	for (uint32_t i = buckets ? bucket[h % buckets] : 0; i; i = chain[i])
		symbols_consider(f, i);
}

/* The symbol that the object defines by this name; NULL: none. `version`: NULL for the default one;
 * else as the dynamic linker binds it: where an object defines none, its symbols are of any.
 * `several`: (or NULL) there are some with different addresses (versions). */
static inline const Elf64_Sym *symbols_find(const struct symbols *s, const char *name,
					    uint32_t hash, const char *version, bool *several)
{
	struct symbols_search f = {.of = s, .name = name, .version = version};
	if (s->symbol && s->string && s->gnu_hash)
		symbols_search_gnu(&f, hash);
	else if (s->symbol && s->string && s->hash)
		symbols_search_old(&f);
	if (several)
		*several = f.several;
	return f.found;
}
