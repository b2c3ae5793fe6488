// SPDX-License-Identifier: GPL-3.0-or-later
/* The stub object, laid out by hand: three segments whose file offsets are their addresses.
 * scprof_selected.h says what it is for; the format is that of the System V ABI and, for versions
 * and the hash table, the Linux Standard Base, chapter 10. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/launch/elf_facts.h"
#include "collector/select/stub_image.h"
#include "profile/base/error.h"

/* Machine code by hand: what is put together is always the same few instructions. */
static void put_offset(uint8_t *to, size_t target, size_t next)
{
	int32_t offset = (int32_t)(target - next);

	memcpy(to, &offset, sizeof(offset));
}

/* endbr64; lea record(%rip), %r11 (or xor %r11d, %r11d; nop); cmpq $0, slot(%rip); je early;
 * jmp *slot(%rip) */
static void put_x86_64(struct object *o, size_t record, size_t slot)
{
	static const uint8_t none[] = {0x45, 0x31, 0xdb, 0x0f, 0x1f, 0x40, 0x00};
	uint8_t code[SCP_SELECTED_STUB_BYTES] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x4c, 0x8d, 0x1d, 0, 0,	   0,	 0,
		0x48, 0x83, 0x3d, 0,	0,    0,    0,	  0, 0x0f, 0x84, 0,
		0,    0,    0,	  0xff, 0x25, 0,    0,	  0, 0,	   0xcc,
	};
	size_t at = o->image.size;

	if (record)
		put_offset(code + 7, record, at + 11);
	else
		memcpy(code + 4, none, sizeof(none));
	put_offset(code + 14, slot, at + 19);
	put_offset(code + 21, o->early_at, at + 25);
	put_offset(code + 27, slot, at + 31);
	stub_image_put(o, code, sizeof(code));
}

/* Arm Architecture Reference Manual, C6.2: the immediate of adrp in units of 4096 bytes. */
static uint32_t adrp(uint32_t reg, size_t target, size_t at)
{
	uint32_t pages = (uint32_t)((target >> 12) - (at >> 12));

	return 0x90000000u | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5 | reg;
}

/* bti c; adrp x16, record; add x16, x16, record (or mov x16, xzr; nop); adrp x17, slot;
 * ldr x17, [x17, slot]; cbz x17, early; br x17 */
static void put_aarch64(struct object *o, size_t record, size_t slot)
{
	size_t at = o->image.size;
	uint32_t to_early = (uint32_t)((o->early_at - (at + 20)) / 4) & 0x7ffff;
	const uint32_t code[SCP_SELECTED_STUB_BYTES / 4] = {
		0xd503245f,
		record ? adrp(16, record, at + 4) : 0xaa1f03f0,
		record ? 0x91000210 | (uint32_t)(record & 0xfff) << 10 : 0xd503201f,
		adrp(17, slot, at + 12),
		0xf9400231 | (uint32_t)(slot & 0xfff) / 8 << 10,
		0xb4000011 | to_early << 5,
		0xd61f0220,
		0xd4200000, /* brk #0 */
	};

	stub_image_put(o, code, sizeof(code));
}

static const struct stub_code codes[] = {
	{.machine = EM_X86_64,
	 .page = 4096,
	 .slot = R_X86_64_GLOB_DAT,
	 .cie = {20, 0, 0,    0,  0, 0,	   0,	 0, 1, 'z',  'R',
		 0,  1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1}, /* CFA rsp + 8, rip at CFA - 8 */
	 .put = put_x86_64},
	{.machine = EM_AARCH64,
	 .page = 65536,
	 .slot = R_AARCH64_GLOB_DAT,
	 .cie = {20,  0, 0, 0,	  0,  0, 0,    0,    1,	 'z',
		 'R', 0, 1, 0x78, 30, 1, 0x1b, 0x0c, 31, 0}, /* CFA sp, return address in x30 */
	 .put = put_aarch64,
	 .features = GNU_PROPERTY_AARCH64_FEATURE_1_BTI},
};

/* NULL: there are no stubs for this processor. */
static const struct stub_code *stub_code_find(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].machine == machine)
			return &codes[i];
	return NULL;
}

/* One rule for all stubs: they touch neither the stack nor the return address. */
static void put_frames(struct object *o)
{
	static const uint8_t hdr[] = {1, 0x1b, 0x03, 0x3b};
	int32_t length = (int32_t)((o->c->count + o->spares + 1) * SCP_SELECTED_STUB_BYTES);

	o->frame_hdr_at = stub_image_align(o, 8);
	o->frame_at = o->frame_hdr_at + 24;
	size_t fde = o->frame_at + sizeof(o->code->cie);
	stub_image_put(o, hdr, sizeof(hdr));
	stub_image_put32(o, (uint32_t)(o->frame_at - (o->frame_hdr_at + 4)));
	stub_image_put32(o, 1);
	stub_image_put32(o, (uint32_t)(o->stubs_at - o->frame_hdr_at));
	stub_image_put32(o, (uint32_t)(fde - o->frame_hdr_at));
	stub_image_put32(o, 0);
	stub_image_put(o, o->code->cie, sizeof(o->code->cie));
	stub_image_put32(o, 16);
	stub_image_put32(o, sizeof(o->code->cie) + 4);
	stub_image_put32(o, (uint32_t)(o->stubs_at - (fde + 8)));
	stub_image_put32(o, (uint32_t)length);
	stub_image_put32(o, 0); /* no augmentation data; padding */
	stub_image_put32(o, 0); /* the end */
}

static void put_rela(struct object *o)
{
	o->rela_at = stub_image_align(o, 8);
	for (uint32_t i = 0; i < SERVED; i++) {
		Elf64_Rela r = {.r_offset = o->slot_at + 8 * (size_t)i,
				.r_info = ELF64_R_INFO((uint64_t)i + 1, o->code->slot)};

		stub_image_put(o, &r, sizeof(r));
	}
}

/* Where the loader makes the processor check that indirect jumps arrive at landing pads. */
static void put_note(struct object *o)
{
	const uint32_t note[] = {4,
				 16,
				 NT_GNU_PROPERTY_TYPE_0,
				 0x00554e47 /* "GNU" */,
				 GNU_PROPERTY_AARCH64_FEATURE_1_AND,
				 4,
				 o->code->features,
				 0};

	o->note_at = stub_image_align(o, 8);
	if (o->code->features)
		stub_image_put(o, note, sizeof(note));
	o->note_end = o->image.size;
}

static void put_stubs(struct object *o)
{
	o->stubs_at = stub_image_align(o, o->code->page);
	for (size_t i = 0; i < o->c->count + o->spares; i++)
		o->code->put(o, o->records_at + i * sizeof(struct scp_selected), o->slot_at);
	o->code->put(o, 0, o->slot_at + 8);
	o->early_at = stub_image_align(o, 16);
	stub_image_put(o, o->early, o->early_bytes);
	o->stubs_end = o->image.size;
}

static void put_dynamic(struct object *o, uint32_t soname)
{
	const uint64_t d[][2] = {
		{DT_SONAME, soname},
		{DT_GNU_HASH, o->hash_at},
		{DT_STRTAB, o->strings_at},
		{DT_STRSZ, o->strings.size},
		{DT_SYMTAB, o->symbols_at},
		{DT_SYMENT, sizeof(Elf64_Sym)},
		{DT_RELA, o->rela_at},
		{DT_RELASZ, SERVED * sizeof(Elf64_Rela)},
		{DT_RELAENT, sizeof(Elf64_Rela)},
		{DT_VERSYM, o->versym_at},
		{DT_VERDEF, o->verdef_at},
		{DT_VERDEFNUM, o->versions + 1},
		{DT_FLAGS, DF_BIND_NOW},
		{DT_NULL, 0},
	};

	o->dynamic_at = stub_image_align(o, o->code->page);
	stub_image_put(o, d, sizeof(d));
	o->slot_at = o->image.size;
	stub_image_extend(o, &o->image, 8 * SERVED);
}

static void put_record(struct object *o, size_t texts, size_t i, uint32_t flags)
{
	const struct selected_symbol *s = &o->c->symbol[i];
	struct scp_selected r = {.id = (uint32_t)((o->image.size - o->records_at) / sizeof(r)),
				 .flags = flags | o->stack[i].flags,
				 .stack_words = o->stack[i].words,
				 .table = (int32_t)o->table_at - (int32_t)o->image.size};

	r.name = (uint32_t)texts + stub_image_string(o, &o->text, s->name);
	r.version = s->version ? (uint32_t)texts + stub_image_string(o, &o->text, s->version) : 0;
	r.shown = (uint32_t)texts + stub_image_string(o, &o->text, s->shown);
	r.soname = (uint32_t)texts + stub_image_string(o, &o->text, s->library->soname);
	stub_image_put(o, &r, sizeof(r));
}

static void put_table(struct object *o)
{
	size_t count = o->c->count + o->spares;
	struct scp_selected_table t = {.magic = SCP_SELECTED_MAGIC, .count = (uint32_t)count};

	o->table_at = stub_image_align(o, 64);
	o->records_at = o->table_at + 64; /* a record is a cache line */
	t.symbols = (int64_t)(o->records_at - o->table_at);
	t.stubs = (int64_t)o->stubs_at - (int64_t)o->table_at;
	stub_image_put(o, &t, sizeof(t));
	stub_image_align(o, 64);
	o->text.size = 0;
	size_t texts = 64 + count * sizeof(struct scp_selected);
	for (size_t i = 0; i < o->c->count; i++)
		put_record(o, texts, i, 0);
	for (size_t i = 0; i < o->c->count; i++)
		for (int n = 0; o->c->symbol[i].is_later && n < SELECTION_SPARES; n++)
			put_record(o, texts, i, SCP_SELECTED_SPARE);
	stub_image_put(o, o->text.bytes, o->text.size);
	o->end = o->image.size;
}

static Elf64_Phdr segment(uint32_t type, uint32_t flags, size_t from, size_t to, size_t align)
{
	return (Elf64_Phdr){.p_type = type,
			    .p_flags = flags,
			    .p_offset = from,
			    .p_vaddr = from,
			    .p_paddr = from,
			    .p_filesz = to - from,
			    .p_memsz = to - from,
			    .p_align = align};
}

static void set_headers(struct object *o)
{
	Elf64_Ehdr *e = (Elf64_Ehdr *)(void *)o->image.bytes;
	Elf64_Phdr *p = (Elf64_Phdr *)(void *)(o->image.bytes + sizeof(*e));

	*e = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT},
			  .e_type = ET_DYN,
			  .e_machine = o->code->machine,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(*e),
			  .e_ehsize = sizeof(*e),
			  .e_phentsize = sizeof(*p),
			  .e_phnum = o->code->features ? HEADERS : HEADERS - 2,
			  .e_shentsize = sizeof(Elf64_Shdr)};
	p[0] = segment(PT_LOAD, PF_R, 0, o->first_end, o->code->page);
	p[1] = segment(PT_LOAD, PF_R | PF_X, o->stubs_at, o->stubs_end, o->code->page);
	p[2] = segment(PT_LOAD, PF_R | PF_W, o->dynamic_at, o->end, o->code->page);
	p[3] = segment(PT_DYNAMIC, PF_R | PF_W, o->dynamic_at, o->slot_at, 8);
	p[4] = segment(PT_GNU_EH_FRAME, PF_R, o->frame_hdr_at, o->frame_at, 4);
	p[5] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
	p[6] = segment(PT_NOTE, PF_R, o->note_at, o->note_end, 8);
	p[7] = segment(PT_GNU_PROPERTY, PF_R, o->note_at, o->note_end, 8);
}

/* Twice: the first time finds the addresses, the second uses them. */
static void lay_out(struct object *o)
{
	for (int pass = 0; pass < 2 && !o->failed; pass++) {
		o->image.size = o->strings.size = 0;
		stub_image_extend(o, &o->image, sizeof(Elf64_Ehdr) + HEADERS * sizeof(Elf64_Phdr));
		stub_image_string(o, &o->strings, "");
		uint32_t soname = stub_image_string(o, &o->strings, SONAME);
		stub_symbols_put_symbols(o);
		stub_symbols_put_hash(o);
		stub_symbols_put_versions(o);
		put_rela(o);
		put_frames(o);
		put_note(o);
		o->strings_at = o->image.size;
		stub_image_put(o, o->strings.bytes, o->strings.size);
		o->first_end = o->image.size;
		put_stubs(o);
		put_dynamic(o, soname);
		put_table(o);
	}
	if (o->failed)
		return;
	stub_symbols_set_values(o);
	set_headers(o);
}

static int write_file(const struct object *o, const char *path)
{
	FILE *file = fopen(path, "wxe");

	if (!file)
		return -1;
	bool written =
		!fchmod(fileno(file), 0644) && fwrite(o->image.bytes, o->image.size, 1, file) == 1;
	return fclose(file) || !written ? -1 : 0;
}

int stub_object_write(const struct selection *c, const char *path, struct profile_error *err)
{
	struct object o = {
		.c = c, .defined = c->count + 2, .code = stub_code_find(c->program.machine)};

	if (!o.code)
		return error_set(err,
				 "cannot write %.300s: there are no stubs for this "
				 "processor yet, only for x86-64 and AArch64",
				 path);
	/* what a stub does as long as the loader has not filled its slot: selected_early.c */
	o.early = elf_facts_copy_section(c->own.path, ".scprof_early", &o.early_bytes);
	if (!o.early)
		return error_set(err,
				 "%.300s has no code for stubs: it is not of this version of "
				 "scprof, or\nits section headers are gone",
				 c->own.path);
	for (size_t i = 0; i < c->count; i++)
		o.spares += c->symbol[i].is_later ? SELECTION_SPARES : 0;

	o.version = calloc(c->count + 1, sizeof(*o.version));
	o.version_of = calloc(o.defined, sizeof(*o.version_of));
	o.order = calloc(o.defined, sizeof(*o.order));
	o.stack = calloc(c->count + 1, sizeof(*o.stack));
	o.failed = !o.version || !o.version_of || !o.order || !o.stack;
	if (!o.failed) {
		stack_arguments_find(c, o.stack);
		stub_symbols_number_versions(&o);
		stub_symbols_order(&o);
		lay_out(&o);
	}
	errno = ENOMEM;
	int failed = o.failed || write_file(&o, path) ? -1 : 0;
	if (failed)
		error_set(err, "cannot write %.300s: %s", path, strerror(errno));
	PROF_FREE(&o, version, version_of, order, stack, image.bytes, strings.bytes, text.bytes,
		  early);
	return failed;
}
