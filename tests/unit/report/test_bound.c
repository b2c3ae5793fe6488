// SPDX-License-Identifier: GPL-3.0-or-later
/* What is read for one profile: each file once, and all of them within a bound. */
#include "tests/unit/support/report_fixture.h"

#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/symbols/symbolize_private.h"
#include "report/model/model.h"
#include "tests/unit/support/copy_fixture.h"

static void names_are_there(void)
{
	struct symbolizer *s = copy_begin(false);

	CHECK(copy_is_called(copy_symbol(s, 0, copy_first), "copy_first"));
	symbolize_free(s);
}

static void one_session(void)
{
	struct symbolizer *s = copy_begin(false);
	const char *name = copy_symbol(s, 0, copy_first)->linker_name;

	CHECK(name && !strcmp(name, "copy_first"));
	for (uint32_t i = 1; i < copy_profile.modules; i++) {
		const struct symbol *symbol = copy_symbol(s, i, copy_first);

		CHECK(symbol->linker_name == name); /* where the one session keeps it */
		CHECK(symbol->module == copy_module[i].path);
	}
	symbolize_free(s);
}

static void test_a_file_is_read_once_however_its_path_is_spelled(void **state)
{
	static char spelled[COPY_MODULES][PATH_MAX];

	(void)state;
	copy_profile.modules = COPY_MODULES;
	for (uint32_t i = 0; i < copy_profile.modules; i++) {
		copy_module[i].path = spelled[i];
		strcpy(spelled[i], copy_directory);
		for (uint32_t k = 0; k < i; k++)
			strcat(spelled[i], "/.");
		strcat(spelled[i], "/app");
	}
	copy_apart(one_session);
}

/* Changes the header of the section that is called so, and lengthens the file to `end` bytes. */
static void claim(const char *name, uint64_t bytes, bool compressed, off_t end)
{
	int fd = open(copy_file("app"), O_RDWR | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Ehdr head;
	GElf_Shdr shdr;
	size_t names;
	Elf *elf;
	off_t at;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(gelf_getehdr(elf, &head));
	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	do {
		section = elf_nextscn(elf, section);
		assert_non_null(section);
		gelf_getshdr(section, &shdr);
	} while (strcmp(elf_strptr(elf, names, shdr.sh_name), name) != 0);
	at = compressed ? (off_t)(shdr.sh_offset + offsetof(Elf64_Chdr, ch_size))
			: (off_t)(head.e_shoff + elf_ndxscn(section) * sizeof(Elf64_Shdr) +
				  offsetof(Elf64_Shdr, sh_size));
	assert_int_equal(pwrite(fd, &bytes, sizeof(bytes), at), sizeof(bytes));
	elf_end(elf);
	assert_int_equal(end ? ftruncate(fd, end) : 0, 0);
	close(fd);
}

static void too_much_is_left_out(void)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(&copy_profile, &o);
	struct prof_frame frame = {.module = 0, .offset = 1};
	uint32_t told = 0;
	size_t count;

	CHECK(r);
	for (; frame.offset < 4; frame.offset++)
		CHECK(!frame_symbols_find(r, &frame, &count)->function);
	CHECK(symbolize_module_state(r->symbols, 0) == SYMBOLIZE_LEFT_OUT);
	for (uint32_t i = 0; i < r->warnings; i++) {
		told += !strcmp(r->warning[i].code, "names-left-out");
		CHECK(strcmp(r->warning[i].code, "missing-module") != 0);
	}
	CHECK(told == 1);
	report_free(r);
}

static void smaller_ones_are_read(void)
{
	struct symbolizer *s = copy_begin(false);

	for (uint32_t i = 0; i + 1 < copy_profile.modules; i++) {
		CHECK(!copy_symbol(s, i, copy_first)->function);
		CHECK(symbolize_module_state(s, i) == SYMBOLIZE_LEFT_OUT);
	}
	CHECK(copy_is_called(copy_symbol(s, copy_profile.modules - 1, copy_first), "copy_first"));
	symbolize_free(s);
}

/* However often they are asked for. */
static void test_large_files_take_nothing_from_smaller_ones(void **state)
{
	static char small[PATH_MAX];

	(void)state;
	copy_shell("truncate -s 40M pad && truncate -s 45M more && "
		   "objcopy --add-section .pad=more app small && "
		   "objcopy --compress-debug-sections=zlib --add-section .pad=pad app");
	claim(".debug_info", UINT64_C(1) << 30, true, 0);
	copy_profile.modules = COPY_MODULES;
	for (uint32_t i = 0; i < copy_profile.modules; i++)
		copy_module[i].path = copy_path;
	copy_module[copy_profile.modules - 1].path = strcpy(small, copy_file("small"));
	copy_apart(smaller_ones_are_read);
}

static void test_what_is_too_large_is_left_out_and_told_once(void **state)
{
	(void)state;
	copy_apart(names_are_there);
	claim(".comment", UINT64_C(1) << 30, false, (off_t)5 << 28);
	copy_apart(too_much_is_left_out);
}

static void test_what_would_be_too_large_decompressed_is_left_out(void **state)
{
	(void)state;
	copy_shell("objcopy --compress-debug-sections=zlib app");
	copy_apart(names_are_there);
	claim(".debug_info", UINT64_C(1) << 30, true, 0);
	copy_apart(too_much_is_left_out);
}

static int no_elf(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, char **file,
		  Elf **elf)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static int no_debug(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

static void test_debug_information_is_searched_within_a_bound(void **state)
{
	static const Dwfl_Callbacks callbacks = {.find_elf = no_elf,
						 .find_debuginfo = no_debug,
						 .section_address = dwfl_offline_section_address};
	struct symbolize_files fresh = {0}, spent = {.steps = SYMBOLIZE_MOST_STEPS - 1};
	struct inline_level level[INLINE_LEVELS];
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *m =
		dwfl_report_offline(dwfl, "", copy_file("app"), open(copy_file("app"), O_RDONLY));
	Dwarf_Addr bias;

	(void)state;
	assert_non_null(m);
	assert_non_null(dwfl_module_getelf(m, &bias));
	bias += copy_offset(copy_first);
	assert_int_equal(symbolize_inline_levels(&fresh, m, bias, level), 1);
	assert_string_equal(level[0].function, "copy_first");
	assert_in_range(fresh.steps, 2, 10000);
	assert_false(fresh.left_out);
	assert_int_equal(symbolize_inline_levels(&spent, m, bias, level), 0);
	assert_true(spent.left_out);
	dwfl_end(dwfl);
}

static void test_bytes_and_steps_are_taken_until_the_bound(void **state)
{
	struct symbolize_files f = {.guarded = true};

	(void)state;
	assert_true(symbolize_open_spend(&f, SYMBOLIZE_MOST_GUARDED - 5));
	assert_false(symbolize_open_spend(&f, 6));
	assert_true(f.left_out);
	assert_true(symbolize_open_spend(&f, 5)); /* what is smaller still fits */
	assert_false(symbolize_open_spend(&f, UINT64_MAX));
	assert_true(symbolize_open_step(&f, SYMBOLIZE_MOST_STEPS_GUARDED));
	assert_false(symbolize_open_step(&f, 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, copy_make, copy_remove)
	const struct CMUnitTest tests[] = {
		TEST(test_a_file_is_read_once_however_its_path_is_spelled),
		TEST(test_what_is_too_large_is_left_out_and_told_once),
		TEST(test_large_files_take_nothing_from_smaller_ones),
		TEST(test_what_would_be_too_large_decompressed_is_left_out),
		TEST(test_debug_information_is_searched_within_a_bound),
		TEST(test_bytes_and_steps_are_taken_until_the_bound),
	};

	return cmocka_run_group_tests_name("report bound", tests, NULL, NULL);
}
