// SPDX-License-Identifier: GPL-3.0-or-later
/* The library is found by its name among the maps and read by its tables in memory: its file may be
 * in another root directory, or have been replaced since. */
#include "collector/attach/remote/remote_library.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE	    4096u
#define SYMBOLS_MAX 65536u
#define STRINGS_MAX (1u << 20)
#define DYNAMIC_MAX 128u
#define STACK_SLACK 512u /* that stays free below a frame */

/* A stack that a coroutine has in the heap may be too small even for a signal: such a program gives
 * its handlers another. The stack of a thread has the thread's own block above it. */
uint64_t remote_library_stack_room(const struct proc_map_list *m,
				   const struct user_regs_struct *regs, size_t bytes)
{
	const struct proc_map *map = proc_maps_find(m, regs->rsp);

	if (!map || !map->writable || map->inode)
		return 0;
	if (!map->stack && (regs->fs_base <= regs->rsp || regs->fs_base >= map->end))
		return 0;
	if (regs->rsp - map->start < bytes + SIGFRAME_RED_ZONE + STACK_SLACK)
		return 0;
	return regs->rsp - SIGFRAME_RED_ZONE;
}

struct tables {
	uint64_t symbols, strings, string_bytes;
};

static bool find_dynamic(const struct remote *r, uint64_t base, uint64_t *bias, uint64_t *dynamic)
{
	Elf64_Ehdr h;
	Elf64_Phdr p[32];
	uint64_t first = UINT64_MAX;

	*dynamic = 0;
	if (!remote_read(r, base, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(p[0]) || !h.e_phnum ||
	    h.e_phnum > 32 || !remote_read(r, base + h.e_phoff, p, h.e_phnum * sizeof(p[0])))
		return false;
	for (int i = 0; i < h.e_phnum; i++) {
		if (p[i].p_type == PT_LOAD && first == UINT64_MAX)
			first = p[i].p_vaddr & ~(uint64_t)(PAGE - 1);
		if (p[i].p_type == PT_DYNAMIC)
			*dynamic = p[i].p_vaddr;
	}
	*bias = base - first;
	*dynamic += *bias;
	return first != UINT64_MAX && *dynamic != *bias;
}

static bool find_tables(const struct remote *r, uint64_t bias, uint64_t dynamic, struct tables *t)
{
	Elf64_Dyn d;

	memset(t, 0, sizeof(*t));
	for (unsigned int i = 0; i < DYNAMIC_MAX; i++) {
		if (!remote_read(r, dynamic + i * sizeof(d), &d, sizeof(d)) || d.d_tag == DT_NULL)
			break;
		/* the dynamic linker has added the bias, or not */
		if (d.d_tag == DT_SYMTAB)
			t->symbols = d.d_un.d_ptr + (d.d_un.d_ptr < bias ? bias : 0);
		else if (d.d_tag == DT_STRTAB)
			t->strings = d.d_un.d_ptr + (d.d_un.d_ptr < bias ? bias : 0);
		else if (d.d_tag == DT_STRSZ)
			t->string_bytes = d.d_un.d_val;
	}
	/* linkers put the strings behind the symbols: their number is not told otherwise */
	return t->symbols && t->strings > t->symbols && t->string_bytes &&
	       t->string_bytes <= STRINGS_MAX &&
	       (t->strings - t->symbols) / sizeof(Elf64_Sym) <= SYMBOLS_MAX;
}

static void note_symbol(const char *name, uint64_t at, struct remote_library *l)
{
	if (strcmp(name, "scprof_attach_begin_1") == 0)
		l->begin = at;
	else if (strcmp(name, "scprof_attach_end_1") == 0)
		l->end = at;
	else if (strcmp(name, "scprof_attach_state_1") == 0)
		l->state = at;
}

bool remote_library_symbols(const struct remote *r, uint64_t base, struct remote_library *l)
{
	uint64_t bias, dynamic;
	struct tables t;
	Elf64_Sym *symbols;
	char *strings;
	size_t count;

	memset(l, 0, sizeof(*l));
	if (!find_dynamic(r, base, &bias, &dynamic) || !find_tables(r, bias, dynamic, &t))
		return false;
	count = (t.strings - t.symbols) / sizeof(*symbols);
	symbols = calloc(count + 1, sizeof(*symbols));
	strings = malloc(t.string_bytes + 1);
	if (symbols && strings && remote_read(r, t.symbols, symbols, count * sizeof(*symbols)) &&
	    remote_read(r, t.strings, strings, t.string_bytes)) {
		strings[t.string_bytes] = '\0';
		for (size_t i = 0; i < count; i++)
			if (symbols[i].st_name < t.string_bytes && symbols[i].st_shndx)
				note_symbol(strings + symbols[i].st_name,
					    bias + symbols[i].st_value, l);
	}
	free(symbols);
	free(strings);
	return l->begin && l->end && l->state;
}

int remote_library_state(const struct remote *r, const struct remote_library *l,
			 struct scp_attach_state *s, struct profile_error *err)
{
	if (remote_read(r, l->state, s, sizeof(*s)) &&
	    memcmp(s->magic, SCP_ATTACH_MAGIC, sizeof(s->magic)) == 0 && s->bytes >= sizeof(*s) &&
	    s->status <= SCP_ATTACH_BUSY) {
		s->profile[sizeof(s->profile) - 1] = '\0';
		return 0;
	}
	snprintf(err->text, sizeof(err->text),
		 "process %d: the libscprof.so in it is of another version, or damaged",
		 (int)r->target.pid);
	return -1;
}

/* mov OFFSET(%rip),%rax; add %fs:0,%rax; ret: the word at OFFSET is errno's place in the block of
 * each thread. */
uint64_t remote_library_errno(const struct remote *r, uint64_t errno_location)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x05};
	static const uint8_t add[] = {0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0, 0xc3};
	static const uint8_t branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[4 + 7 + sizeof(add)];
	const uint8_t *at = code;
	int32_t offset;
	uint64_t word;

	if (!errno_location || !remote_read(r, errno_location, code, sizeof(code)))
		return 0;
	if (memcmp(at, branch_mark, 4) == 0)
		at += 4;
	if (memcmp(at, load, sizeof(load)) != 0 || memcmp(at + 7, add, sizeof(add)) != 0)
		return 0;
	memcpy(&offset, at + 3, sizeof(offset));
	word = errno_location + (uint64_t)(at - code) + 7 + (uint64_t)(int64_t)offset;
	if (!remote_read(r, word, &word, sizeof(word)))
		return 0;
	return r->was.regs.fs_base + word;
}
