// SPDX-License-Identifier: GPL-3.0-or-later
/* Frames whose code is in no file: the vDSO of this kernel, and generated code with
 * the maps that two processes left of it. */
#include "tests/unit/support/report_fixture.h"
#include "report/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>

static struct prof_module module;
static struct prof_process process[2];
static struct profile profile;

static void set_up(const char *path)
{
	static char name[64], exe[] = "/nonexistent/app";

	snprintf(name, sizeof(name), "%s", path);
	memset(&module, 0, sizeof(module));
	memset(process, 0, sizeof(process));
	module.path = name;
	process[0].pid = (uint32_t)getpid();
	process[1].pid = (uint32_t)getppid(); /* no one else's map is touched */
	process[0].exe = process[1].exe = exe;
	process[0].program = process[1].program = exe;
	process[0].owner = process[1].owner = geteuid();
	profile = (struct profile){
		.module = &module, .modules = 1, .process = process, .processes = 2};
}

/* Address of a name in the vDSO, and its build-id into `module`. */
static uint64_t vdso_address(const char *name)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	GElf_Ehdr *head = (GElf_Ehdr *)image;
	Elf *elf;
	Elf_Scn *section = NULL;
	const void *id;
	ssize_t bytes;

	assert_non_null(image);
	elf_version(EV_CURRENT);
	elf = elf_memory(image, head->e_shoff + (size_t)head->e_shnum * head->e_shentsize);
	assert_non_null(elf);
	bytes = dwelf_elf_gnu_build_id(elf, &id);
	assert_in_range(bytes, 8, SCP_BUILD_ID_MAX);
	memcpy(module.build_id, id, (size_t)bytes);
	module.build_id_bytes = (uint32_t)bytes;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr shdr;
		GElf_Sym symbol;

		gelf_getshdr(section, &shdr);
		for (int i = 0; shdr.sh_type == SHT_DYNSYM &&
				gelf_getsym(elf_getdata(section, NULL), i, &symbol);
		     i++)
			if (!strcmp(elf_strptr(elf, shdr.sh_link, symbol.st_name), name)) {
				elf_end(elf);
				return symbol.st_value;
			}
	}
	fail_msg("no %s in the vDSO", name);
	return 0;
}

static void check_vdso(const char *path, bool known)
{
	struct symbolizer *s = symbolize_new(&profile);
	struct prof_frame frame = {.module = 0};
	const struct symbol *symbol;
	size_t count;

	frame.offset = vdso_address("__vdso_gettimeofday") + 1;
	if (!known)
		module.build_id[0] ^= 1;
	symbol = symbolize_frame(s, &frame, &count);
	assert_string_equal(symbol->module, path);
	if (known) {
		/* gettimeofday is another name for the same code */
		assert_non_null(strstr(symbol->function, "gettimeofday"));
		assert_int_equal(symbol->source, SYMBOL_FROM_DYNAMIC);
		assert_int_equal(symbol->into, 1);
	} else {
		assert_null(symbol->function);
	}
	symbolize_free(s);
}

static void test_vdso_of_this_kernel_only(void **state)
{
	(void)state;
	set_up("linux-vdso.so.1");
	check_vdso("linux-vdso.so.1", true);
	check_vdso("linux-vdso.so.1", false);
	set_up("/home/me/linux-vdso.so.1");
	check_vdso("/home/me/linux-vdso.so.1", true);
	check_vdso("/home/me/linux-vdso.so.1", false);
	set_up("[vdso]");
	check_vdso("[vdso]", true);
}

static void write_map(uint32_t pid, const char *text)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	if (!text) {
		unlink(path);
		return;
	}
	map = fopen(path, "we");
	assert_non_null(map);
	fputs(text, map);
	fclose(map);
}

static const struct symbol *generated(struct report *r, uint64_t address)
{
	struct prof_frame frame = {.module = PROF_NO_MODULE, .offset = address};
	size_t count;
	const struct symbol *symbol = frame_symbols_find(r, &frame, &count);

	assert_int_equal(count, 1);
	assert_int_equal(symbol->offset, address);
	return symbol;
}

static uint32_t warnings_called(const struct report *r, const char *code)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->warnings; i++)
		count += !strcmp(r->warning[i].code, code);
	return count;
}

static void test_maps_that_disagree_name_nothing(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	(void)state;
	set_up("/nonexistent");
	write_map(process[0].pid, "1000 10 one\n2000 10 same\n3000 10 mine\n4000 8 cut");
	write_map(process[1].pid, "1000 10 other\n2000 10 same\nzzz\n5000 10\n6000 10 \n");
	r = report_build(&profile, &o);
	assert_null(generated(r, 0x1008)->function);
	assert_null(generated(r, 0x100c)->function);
	assert_string_equal(generated(r, 0x2010)->function, "same"); /* the call is before it */
	assert_string_equal(generated(r, 0x3001)->function, "mine");
	assert_int_equal(generated(r, 0x3001)->into, 1);
	assert_string_equal(generated(r, 0x4008)->function, "cut");
	assert_null(generated(r, 0x3011)->function);
	assert_null(generated(r, 0x5001)->function);
	assert_null(generated(r, 0x6001)->function);
	assert_int_equal(warnings_called(r, "names-left-out"), 1);
	report_free(r);
	write_map(process[0].pid, NULL);
	write_map(process[1].pid, NULL);
}

static void check_map(bool believed)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(&profile, &o);

	for (uint64_t at = 0x1001; at < 0x1003; at++) {
		const char *name = generated(r, at)->function;

		if (believed)
			assert_string_equal(name, "foreign");
		else
			assert_null(name);
	}
	assert_int_equal(warnings_called(r, "names-left-out"), !believed);
	report_free(r);
}

/* Who reads may be root, and what root may read is not for everybody. */
static void test_a_map_is_believed_that_belongs_to_the_owner_of_the_profile(void **state)
{
	char path[64], other[64];

	(void)state;
	set_up("/nonexistent");
	write_map(process[0].pid, "1000 10 foreign\n");
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", process[0].pid);
	chmod(path, 0600);
	check_map(true);
	process[0].owner = 12345;
	check_map(false);
	if (chown(path, 12345, 12345) == 0) { /* root's right */
		check_map(true);
		process[0].owner = geteuid();
		check_map(false);
		process[0].owner = 12345;
	}
	snprintf(other, sizeof(other), "/tmp/scprof-test-%u", process[0].pid);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	check_map(false);
	unlink(path);
	unlink(other);
}

#define LINES  300
#define PLACES 1000

/* Lines of code that lies across, within and around that of others. */
static void test_of_lines_that_overlap_the_last_one_counts(void **state)
{
	static int last[PLACES];
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char lines[LINES * 32], name[16];
	uint32_t random = 1;
	struct report *r;
	int at = 0;

	(void)state;
	memset(last, 0xff, sizeof(last));
	for (int i = 0; i < LINES; i++) {
		uint32_t start = (random = random * 1664525 + 1013904223) >> 8;
		uint32_t size = (random = random * 1664525 + 1013904223) >> 8;

		start %= PLACES;
		size %= i % 10 ? 12 : 300;
		for (uint32_t k = start; k < start + size && k < PLACES; k++)
			last[k] = i;
		at += snprintf(lines + at, sizeof(lines) - (size_t)at, "%x %x f%d\n", start + 16,
			       size, i);
	}
	set_up("/nonexistent");
	write_map(process[0].pid, lines);
	r = report_build(&profile, &o);
	for (int i = 0; i < PLACES; i++) {
		const char *found = generated(r, (uint64_t)i + 17)->function; /* the byte before */

		snprintf(name, sizeof(name), "f%d", last[i]);
		if (last[i] < 0)
			assert_null(found);
		else
			assert_string_equal(found, name);
	}
	report_free(r);
	write_map(process[0].pid, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vdso_of_this_kernel_only),
		cmocka_unit_test(test_maps_that_disagree_name_nothing),
		cmocka_unit_test(test_a_map_is_believed_that_belongs_to_the_owner_of_the_profile),
		cmocka_unit_test(test_of_lines_that_overlap_the_last_one_counts),
	};

	return cmocka_run_group_tests_name("report elsewhere", tests, NULL, NULL);
}
