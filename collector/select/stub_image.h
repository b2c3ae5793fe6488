// SPDX-License-Identifier: GPL-3.0-or-later
/* A stub object while it is laid out; for stub_object.c. */
#pragma once

#include <elf.h>

#include "collector/select/stack_arguments.h"
#include "include/scprof_selected.h"

/* Older elf.h lack these (Linux's gABI extensions). */
#ifndef PT_GNU_PROPERTY
#define PT_GNU_PROPERTY 0x6474e553
#endif
#ifndef GNU_PROPERTY_AARCH64_FEATURE_1_AND
#define GNU_PROPERTY_AARCH64_FEATURE_1_AND 0xc0000000
#define GNU_PROPERTY_AARCH64_FEATURE_1_BTI 1u
#endif

#define SONAME "scprof-symbols.so"

/* Symbol 0 is none, 1 and 2 are what libscprof.so serves. The last two program headers are of a
 * note that not every processor has. */
enum { HEADERS = 8, FIRST_DEFINED = 3, SERVED = 2 };

struct part {
	uint8_t *bytes;
	size_t size, room;
};

struct object;

/* What of it depends on the processor. */
struct stub_code {
	uint16_t machine; /* e_machine */
	size_t page;	  /* the largest of any kernel: segments are aligned to it */
	uint32_t slot;	  /* type of the relocation of a slot */
	/* A CIE: code 1, data -8, pcrel sdata4; where the return address is at every byte of a
	 * stub. */
	uint8_t cie[24];
	/* Append a stub of SCP_SELECTED_STUB_BYTES. With the address of the record (0: none) in
	 * the register that the trampoline takes it in, it jumps to where the slot at `slot` says,
	 * or to o->early_at while that is empty. */
	void (*put)(struct object *o, size_t record, size_t slot);
	/* Bits of GNU_PROPERTY_AARCH64_FEATURE_1_AND that hold for the object; 0: no such note. */
	uint32_t features;
};

struct object {
	const struct selection *c;
	const struct stub_code *code;
	char *early; /* machine code: what a stub does before it is bound */
	size_t early_bytes;
	struct part image;	       /* of the file */
	struct part strings, text;     /* of the dynamic symbols; of the table */
	const char **version;	       /* names of the versions, from index 2 on */
	uint16_t *version_of;	       /* by selected symbol */
	struct stack_arguments *stack; /* likewise */
	size_t versions;
	/* By place in the symbol table: selected symbol, or count: the table, count + 1: dlsym. */
	uint32_t *order;
	uint32_t buckets; /* of the hash table */
	size_t defined;
	size_t spares; /* records and stubs after those of the symbols */
	/* addresses */
	size_t symbols_at, strings_at, hash_at, versym_at, verdef_at, rela_at, frame_hdr_at,
		frame_at, note_at, note_end, first_end, stubs_at, stubs_end, dynamic_at, slot_at,
		table_at, early_at, records_at, end;
	bool failed;
};

/* Bytes of zeros at the end of a part; NULL, and o->failed, when out of memory. */
void *stub_image_extend(struct object *o, struct part *p, size_t bytes);
/* At the end of the image. */
void stub_image_put(struct object *o, const void *from, size_t bytes);
void stub_image_put32(struct object *o, uint32_t v);
/* Fill the image up to a multiple of `to`, which is returned. */
size_t stub_image_align(struct object *o, size_t to);
/* Offset of a new string. */
uint32_t stub_image_string(struct object *o, struct part *p, const char *text);

/* The dynamic symbols, to be called in this order; the last one once all addresses are known. */
void stub_symbols_number_versions(struct object *o);
void stub_symbols_order(struct object *o);
void stub_symbols_put_symbols(struct object *o);
void stub_symbols_put_hash(struct object *o);
void stub_symbols_put_versions(struct object *o);
void stub_symbols_set_values(struct object *o);

/* Write it to `path`, which must not exist. 0, or -1 with *err: also on a processor for which
 * there are no stubs. */
int stub_object_write(const struct selection *c, const char *path, struct profile_error *err);
