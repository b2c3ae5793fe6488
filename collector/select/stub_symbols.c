// SPDX-License-Identifier: GPL-3.0-or-later
/* Each symbol has the version that its library gives it, so that a caller that was
 * linked with memcpy@GLIBC_2.2.5 reaches the stub of that, and not of the newer one. */
#include "collector/select/stub_image.h"

#include <libelf.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct object *o, uint32_t symbol)
{
	return symbol < o->c->count    ? o->c->symbol[symbol].name
	       : symbol == o->c->count ? "scprof_chosen_table"
				       : "dlsym";
}

/* As of DT_GNU_HASH; those of the two other names are constants. */
static uint32_t hash_of(const struct object *o, uint32_t symbol)
{
	return symbol < o->c->count    ? o->c->symbol[symbol].hash
	       : symbol == o->c->count ? 0xa2d466b8u
				       : 0x0f4dc4aeu;
}

void stub_symbols_number_versions(struct object *o)
{
	for (size_t i = 0; i < o->c->count; i++) {
		const char *version = o->c->symbol[i].version;
		size_t v = 0;

		while (version && v < o->versions && strcmp(o->version[v], version) != 0)
			v++;
		if (version && v == o->versions)
			o->version[o->versions++] = version;
		o->version_of[i] =
			(uint16_t)(!version ? VER_NDX_GLOBAL
					    : (v + 2) | (o->c->symbol[i].is_default ? 0 : 0x8000));
	}
	o->version_of[o->c->count] = o->version_of[o->c->count + 1] = VER_NDX_GLOBAL;
}

/* By bucket; within one as they are, which is the order of the libraries. */
void stub_symbols_order(struct object *o)
{
	uint32_t at = 0;

	o->buckets = (uint32_t)o->defined / 2 + 1;
	for (uint32_t b = 0; b < o->buckets; b++)
		for (uint32_t s = 0; s < o->defined; s++)
			if (hash_of(o, s) % o->buckets == b)
				o->order[at++] = s;
}

void stub_symbols_put_symbols(struct object *o)
{
	Elf64_Sym none = {0};
	Elf64_Sym call = {.st_name = stub_image_string(o, &o->strings, "scprof_chosen_call"),
			  .st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC)};
	Elf64_Sym find = {.st_name = stub_image_string(o, &o->strings, "scprof_chosen_dlsym"),
			  .st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC)};

	o->symbols_at = stub_image_align(o, 8);
	stub_image_put(o, &none, sizeof(none));
	stub_image_put(o, &call, sizeof(call));
	stub_image_put(o, &find, sizeof(find));
	for (size_t i = 0; i < o->defined; i++) {
		uint32_t s = o->order[i];
		bool is_stub = s != o->c->count;
		Elf64_Sym symbol = {
			.st_name = stub_image_string(o, &o->strings, name_of(o, s)),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, is_stub ? STT_FUNC : STT_OBJECT),
			.st_shndx = SHN_LORESERVE - 1, /* defined; there are no sections */
			.st_value = s,		       /* made an address when that is known */
			.st_size = is_stub ? SCP_SELECTED_STUB_BYTES
					   : sizeof(struct scp_selected_table),
		};
		stub_image_put(o, &symbol, sizeof(symbol));
	}
}

void stub_symbols_put_hash(struct object *o)
{
	uint64_t bloom = 0;

	o->hash_at = stub_image_align(o, 8);
	for (size_t i = 0; i < o->defined; i++) {
		uint32_t h = hash_of(o, o->order[i]);
		bloom |= UINT64_C(1) << (h % 64) | UINT64_C(1) << (h / 64 % 64);
	}
	stub_image_put32(o, o->buckets);
	stub_image_put32(o, FIRST_DEFINED);
	stub_image_put32(o, 1); /* words of the filter */
	stub_image_put32(o, 6); /* its second hash is h >> 6 */
	stub_image_put(o, &bloom, sizeof(bloom));
	for (uint32_t b = 0, at = 0; b < o->buckets; b++) {
		uint32_t first = at;

		while (at < o->defined && hash_of(o, o->order[at]) % o->buckets == b)
			at++;
		stub_image_put32(o, at > first ? first + FIRST_DEFINED : 0);
	}
	for (size_t i = 0; i < o->defined; i++) {
		uint32_t h = hash_of(o, o->order[i]);
		bool is_last = i + 1 == o->defined ||
			       hash_of(o, o->order[i + 1]) % o->buckets != h % o->buckets;

		stub_image_put32(o, (h & ~1u) | is_last);
	}
}

static void put_version(struct object *o, uint16_t index, const char *name)
{
	bool is_last = index == o->versions + 1;
	Elf64_Verdef d = {
		.vd_version = VER_DEF_CURRENT,
		.vd_flags = index == 1 ? VER_FLG_BASE : 0,
		.vd_ndx = index,
		.vd_cnt = 1,
		.vd_hash = (uint32_t)elf_hash(name),
		.vd_aux = sizeof(d),
		.vd_next = is_last ? 0 : sizeof(d) + sizeof(Elf64_Verdaux),
	};
	Elf64_Verdaux a = {.vda_name = stub_image_string(o, &o->strings, name)};

	stub_image_put(o, &d, sizeof(d));
	stub_image_put(o, &a, sizeof(a));
}

void stub_symbols_put_versions(struct object *o)
{
	uint16_t v[FIRST_DEFINED] = {VER_NDX_LOCAL, VER_NDX_GLOBAL, VER_NDX_GLOBAL};

	o->versym_at = stub_image_align(o, 8);
	stub_image_put(o, v, sizeof(v));
	for (size_t i = 0; i < o->defined; i++)
		stub_image_put(o, &o->version_of[o->order[i]], sizeof(uint16_t));
	o->verdef_at = stub_image_align(o, 8);
	put_version(o, 1, SONAME);
	for (size_t i = 0; i < o->versions; i++)
		put_version(o, (uint16_t)(i + 2), o->version[i]);
}

void stub_symbols_set_values(struct object *o)
{
	Elf64_Sym *symbol = (Elf64_Sym *)(void *)(o->image.bytes + o->symbols_at);

	for (size_t i = 0; i < o->defined; i++) {
		uint64_t s = symbol[FIRST_DEFINED + i].st_value;

		size_t stub = s < o->c->count ? s : o->c->count + o->spares; /* dlsym's is last */

		symbol[FIRST_DEFINED + i].st_value =
			s == o->c->count ? o->table_at
					 : o->stubs_at + stub * SCP_SELECTED_STUB_BYTES;
	}
}

/* Grows the parts of a stub object. */

void *stub_image_extend(struct object *o, struct part *p, size_t bytes)
{
	if (p->size + bytes > p->room) {
		size_t room = 2 * (p->size + bytes) + 4096;
		uint8_t *grown = realloc(p->bytes, room);

		if (!grown) {
			o->failed = true;
			return NULL;
		}
		p->bytes = grown;
		p->room = room;
	}
	memset(p->bytes + p->size, 0, bytes);
	p->size += bytes;
	return p->bytes + p->size - bytes;
}

void stub_image_put(struct object *o, const void *from, size_t bytes)
{
	void *to = stub_image_extend(o, &o->image, bytes);

	if (to)
		memcpy(to, from, bytes);
}

void stub_image_put32(struct object *o, uint32_t v)
{
	stub_image_put(o, &v, sizeof(v));
}

size_t stub_image_align(struct object *o, size_t to)
{
	stub_image_extend(o, &o->image, (to - o->image.size % to) % to);
	return o->image.size;
}

uint32_t stub_image_string(struct object *o, struct part *p, const char *text)
{
	size_t at = p->size, bytes = strlen(text) + 1;
	void *to = stub_image_extend(o, p, bytes);

	if (to)
		memcpy(to, text, bytes);
	return (uint32_t)at;
}
