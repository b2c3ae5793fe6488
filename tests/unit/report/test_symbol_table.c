// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of symbols: of this program, of libc, and of files made up here, in which symbols
 * overlap, are equal, or have no size, in any order and of any binding. */
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/symbols/symbolize_private.h"

#define TEXT	 0x100 /* two sections of code, side by side, and a hole behind each */
#define BYTES	 0x60
#define SECTIONS 2
#define SYMBOLS	 14
#define FILES	 400

static char *debug_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

struct checked {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct symbol_table *table;
	GElf_Addr bias;
};

static struct checked open_module(const char *name, int fd)
{
	struct checked c = {.dwfl = dwfl_begin(&callbacks)};

	assert_non_null(c.dwfl);
	dwfl_report_begin(c.dwfl);
	c.module = dwfl_report_offline(c.dwfl, "", name, fd);
	assert_non_null(c.module);
	dwfl_report_end(c.dwfl, NULL, NULL);
	assert_non_null(dwfl_module_getelf(c.module, &c.bias));
	c.table = symbolize_table_new(c.module);
	assert_non_null(c.table);
	return c;
}

static void close_module(struct checked *c)
{
	symbolize_table_free(c->table);
	dwfl_end(c->dwfl);
}

/* Every function of the module is found at each end of its code. Another name of the same code may
 * be given. */
static unsigned check_functions(const struct checked *c)
{
	int symbols = dwfl_module_getsymtab(c->module);
	unsigned answers = 0;

	for (int i = 1; i < symbols; i++) {
		GElf_Sym s;
		GElf_Addr value;
		GElf_Off into;

		if (!dwfl_module_getsym_info(c->module, i, &s, &value, NULL, NULL, NULL) ||
		    GELF_ST_TYPE(s.st_info) != STT_FUNC || !s.st_size || s.st_shndx == SHN_UNDEF)
			continue;
		assert_non_null(symbolize_table_find(c->table, value, &into));
		assert_int_equal(into, 0);
		assert_non_null(symbolize_table_find(c->table, value + s.st_size - 1, &into));
		assert_true(into < s.st_size);
		answers++;
	}
	return answers;
}

static void test_this_program(void **state)
{
	struct checked c = open_module("self", open("/proc/self/exe", O_RDONLY));

	(void)state;
	assert_true(check_functions(&c) > 10);
	close_module(&c);
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *path)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	*(const char **)path = info->dlpi_name;
	return 1;
}

static void test_libc(void **state)
{
	const char *path = NULL;
	struct checked c;

	(void)state;
	dl_iterate_phdr(find_libc, &path);
	assert_non_null(path);
	c = open_module(path, open(path, O_RDONLY));
	assert_true(check_functions(&c) > 10);
	close_module(&c);
}

static unsigned random_below(unsigned limit)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % limit);
}

static void add_section(Elf *elf, const GElf_Shdr *head, void *bytes, Elf_Type type)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr own;

	assert_non_null(gelf_getshdr(section, &own));
	own = *head;
	assert_int_not_equal(gelf_update_shdr(section, &own), 0);
	data->d_buf = bytes;
	data->d_size = head->sh_size;
	data->d_type = type;
	data->d_align = 8;
}

static unsigned char bindings(bool local)
{
	static const unsigned char any[] = {STB_GLOBAL, STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE};

	return local ? STB_LOCAL : any[random_below(4)];
}

/* "a", "b", ...: in few places, so that they meet; half of them without a size. */
static void make_symbols(Elf64_Sym *s, unsigned locals)
{
	static const unsigned char types[] = {STT_FUNC, STT_OBJECT, STT_NOTYPE, STT_SECTION,
					      STT_TLS};

	memset(s, 0, SYMBOLS * sizeof(*s));
	for (unsigned i = 1; i < SYMBOLS; i++) {
		unsigned section = 1 + random_below(SECTIONS);

		s[i].st_name = random_below(12) ? 2 * i - 1 : 0;
		s[i].st_info = ELF64_ST_INFO(bindings(i < locals), types[random_below(12) % 5]);
		s[i].st_shndx = random_below(8) ? (Elf64_Half)section : SHN_ABS;
		s[i].st_value = TEXT + random_below(24) * 8;
		s[i].st_size = random_below(2) ? random_below(6) * 8 : 0;
		if (!random_below(40))
			s[i].st_size = UINT64_MAX - random_below(16);
		if (!random_below(20))
			s[i].st_shndx = SHN_UNDEF;
	}
}

static void add_sections(Elf *elf, Elf64_Sym *symbols, unsigned locals)
{
	static char code[BYTES], names[2 * SYMBOLS], sections[] = "\0s";

	for (unsigned i = 1; i < SYMBOLS; i++)
		names[2 * i - 1] = (char)('a' + i);
	for (unsigned i = 0; i < SECTIONS; i++)
		add_section(elf,
			    &(GElf_Shdr){.sh_name = 1,
					 .sh_type = SHT_PROGBITS,
					 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					 .sh_addr = TEXT + i * (BYTES + 8),
					 .sh_size = BYTES - i * 8,
					 .sh_addralign = 8},
			    code, ELF_T_BYTE);
	add_section(elf,
		    &(GElf_Shdr){.sh_name = 1,
				 .sh_type = SHT_SYMTAB,
				 .sh_size = SYMBOLS * sizeof(*symbols),
				 .sh_entsize = sizeof(*symbols),
				 .sh_link = 4,
				 .sh_info = locals,
				 .sh_addralign = 8},
		    symbols, ELF_T_SYM);
	add_section(elf,
		    &(GElf_Shdr){.sh_name = 1,
				 .sh_type = SHT_STRTAB,
				 .sh_size = sizeof(names),
				 .sh_addralign = 8},
		    names, ELF_T_BYTE);
	add_section(elf,
		    &(GElf_Shdr){.sh_name = 1,
				 .sh_type = SHT_STRTAB,
				 .sh_size = sizeof(sections),
				 .sh_addralign = 8},
		    sections, ELF_T_BYTE);
}

static int make_file(Elf64_Sym *symbols, unsigned locals)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	GElf_Ehdr head;
	GElf_Phdr load = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = 0x1000};

	assert_non_null(elf);
	assert_int_not_equal(gelf_newehdr(elf, ELFCLASS64), 0);
	assert_int_not_equal(gelf_newphdr(elf, 1), 0);
	assert_non_null(gelf_getehdr(elf, &head));
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_machine = EM_X86_64;
	head.e_type = ET_DYN;
	head.e_version = EV_CURRENT;
	head.e_shstrndx = 5;
	assert_int_not_equal(gelf_update_ehdr(elf, &head), 0);
	load.p_filesz = load.p_memsz = 0x1000;
	assert_int_not_equal(gelf_update_phdr(elf, 0, &load), 0);
	add_sections(elf, symbols, locals);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return fd;
}

/* A better symbol around the address: a nearer beginning, a stronger binding, a nearer end. */
static bool is_better(const Elf64_Sym *s, const Elf64_Sym *than)
{
	static const int rank[16] = {[STB_LOCAL] = 1, [STB_WEAK] = 2, [STB_GLOBAL] = 3};
	int own = rank[ELF64_ST_BIND(s->st_info)], other = rank[ELF64_ST_BIND(than->st_info)];

	if (s->st_value != than->st_value)
		return s->st_value > than->st_value;
	return own != other ? own > other : s->st_size < than->st_size;
}

static bool counts(const Elf64_Sym *s)
{
	int type = ELF64_ST_TYPE(s->st_info);

	return s->st_name && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS &&
	       type != STT_SECTION && type != STT_TLS;
}

/* The symbol whose bytes hold the address; NULL: none. */
static const Elf64_Sym *around(const Elf64_Sym *symbol, GElf_Addr address)
{
	const Elf64_Sym *best = NULL;

	for (unsigned i = 1; i < SYMBOLS; i++) {
		const Elf64_Sym *s = &symbol[i];

		if (counts(s) && s->st_value <= address && address - s->st_value < s->st_size &&
		    (!best || is_better(s, best)))
			best = s;
	}
	return best;
}

static bool check(const struct checked *c, const Elf64_Sym *symbol, GElf_Addr address)
{
	const Elf64_Sym *expected = around(symbol, address);
	GElf_Off into = 0;
	const char *name = symbolize_table_find(c->table, c->bias + address, &into);

	if (!expected)
		return false;
	assert_non_null(name);
	assert_int_equal(name[0], 'a' + (expected - symbol));
	assert_int_equal(into, address - expected->st_value);
	return true;
}

static void test_symbols_in_any_order(void **state)
{
	unsigned answers = 0, none = 0;

	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		Elf64_Sym symbols[SYMBOLS];
		unsigned locals = 1 + random_below(SYMBOLS);
		struct checked c;

		make_symbols(symbols, locals);
		c = open_module("made", make_file(symbols, locals));
		for (GElf_Addr a = TEXT - 16; a < TEXT + 3 * BYTES; a++)
			if (check(&c, symbols, a))
				answers++;
			else
				none++;
		close_module(&c);
	}
	assert_true(answers > 10000 && none > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_program),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_symbols_in_any_order),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests_name("table of symbols", tests, NULL, NULL);
}
