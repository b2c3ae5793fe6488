// SPDX-License-Identifier: Apache-2.0
/* Hash tables: System V ABI, chapter 5 (DT_HASH), and the format of GNU ld (DT_GNU_HASH). */
#include "preload/process/symbols.h"

#define HIDDEN_VERSION 0x8000u /* not the one that new programs are linked to */

struct search {
	const struct symbols *of;
	const char *name, *version; /* NULL: the default one */
	const Elf64_Sym *found;
	bool several;
};

void symbols_take(struct symbols *s, const Elf64_Dyn *d)
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

static bool is_of_version(const struct symbols *s, uint32_t index, const char *version)
{
	const Elf64_Verdef *v = s->version ? s->versions : NULL;
	if (!v)
		return true;
	while (v->vd_ndx != (s->version[index] & ~HIDDEN_VERSION) && v->vd_next)
		v = (const void *)((const uint8_t *)v + v->vd_next);
	const Elf64_Verdaux *name = (const void *)((const uint8_t *)v + v->vd_aux);
	return v->vd_ndx == (s->version[index] & ~HIDDEN_VERSION) &&
	       text_equal(s->string + name->vda_name, version);
}

/* If the symbol is of that name, and defined. */
static void take(struct search *f, uint32_t index)
{
	const Elf64_Sym *s = &f->of->symbol[index];
	if (s->st_shndx == SHN_UNDEF || !s->st_value ||
	    !text_equal(f->of->string + s->st_name, f->name) ||
	    (f->version && !is_of_version(f->of, index, f->version)))
		return;
	f->several |= f->found && f->found->st_value != s->st_value;
	if (!f->found || !f->of->version || !(f->of->version[index] & HIDDEN_VERSION))
		f->found = s;
}

static void search_gnu(struct search *f, uint32_t hash)
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
			take(f, i);
		if (h & 1)
			return;
	}
}

static void search_old(struct search *f)
{
	const uint32_t *t = f->of->hash;
	uint32_t h = 0, buckets = t[0];
	for (const char *at = f->name; *at; at++) {
		h = (h << 4) + (uint8_t)*at;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	const uint32_t *bucket = t + 2, *chain = bucket + buckets;
	for (uint32_t i = buckets ? bucket[h % buckets] : 0; i; i = chain[i])
		take(f, i);
}

static void search(struct search *f, uint32_t hash)
{
	const struct symbols *s = f->of;
	if (s->symbol && s->string && s->gnu_hash)
		search_gnu(f, hash);
	else if (s->symbol && s->string && s->hash)
		search_old(f);
}

const Elf64_Sym *symbols_find(const struct symbols *s, const char *name, uint32_t hash,
			      bool *several)
{
	struct search f = {.of = s, .name = name};
	search(&f, hash);
	if (several)
		*several = f.several;
	return f.found;
}

const Elf64_Sym *symbols_find_version(const struct symbols *s, const char *name, uint32_t hash,
				      const char *version)
{
	struct search f = {.of = s, .name = name, .version = version};
	search(&f, hash);
	return f.found;
}
