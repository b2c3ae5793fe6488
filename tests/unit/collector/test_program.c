// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs of every kind, built here by the compilers that are installed, are distinguished, and
 * each verdict has words for the user. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/launch/program.h"

static char directory[] = "/tmp/scprof-test.XXXXXX";

static void write_file(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(name, mode), 0);
}

/* Builds main.c by `command`; skips the test where that compiler is not here. */
static void build(const char *command)
{
	char shell[512];

	snprintf(shell, sizeof(shell), "%s >build.log 2>&1", command);
	if (system(shell))
		skip();
}

static struct program *examine(const char *command)
{
	static struct program p;

	program_examine(command, &p);
	return &p;
}

static void expect(const char *command, enum program_kind kind, bool preload, const char *words)
{
	struct program *p = examine(command);

	assert_int_equal(p->kind, kind);
	assert_int_equal(p->preload, preload);
	if (words)
		assert_non_null(strstr(p->notice, words));
	else
		assert_string_equal(p->notice, "");
}

static void a_dynamic_program_needs_no_notice(void **state)
{
	(void)state;
	build("cc -o dynamic main.c");
	expect("./dynamic", PROGRAM_DYNAMIC, true, NULL);
	build("cc -no-pie -s -o fixed main.c");
	expect("./fixed", PROGRAM_DYNAMIC, true, NULL);
}

static void a_static_program_is_invisible(void **state)
{
	(void)state;
	build("cc -static -o static main.c");
	expect("./static", PROGRAM_STATIC, true, "statically");
}

static void a_static_pie_program_is_no_shared_one(void **state)
{
	(void)state;
	build("cc -static-pie -o static_pie main.c");
	expect("./static_pie", PROGRAM_STATIC, true, "statically");
}

static void musl_takes_the_library(void **state)
{
	(void)state;
	build("musl-gcc -o musl main.c");
	expect("./musl", PROGRAM_DYNAMIC, true, "");
}

static void another_libc_would_refuse_the_library(void **state)
{
	(void)state;
	build("cc -Wl,--dynamic-linker=$PWD/ld-uClibc.so.0 -o other main.c && touch "
	      "ld-uClibc.so.0");
	expect("./other", PROGRAM_OTHER_LIBC, false, "ld-uClibc");
}

static void another_architecture_is_named(void **state)
{
	(void)state;
#if defined(__x86_64__)
	build("aarch64-linux-gnu-gcc -o foreign main.c");
	expect("./foreign", PROGRAM_FOREIGN, false, "another architecture");
#else
	build("x86_64-linux-gnu-gcc -o foreign main.c");
	expect("./foreign", PROGRAM_FOREIGN, false, "another architecture");
#endif
}

static void go_is_known_even_when_stripped(void **state)
{
	(void)state;
	write_file("main.go", "package main\nfunc main() {}\n", 0644);
	build("HOME=$PWD GOFLAGS=-mod=mod CGO_ENABLED=0 go build -o go_program main.go");
	expect("./go_program", PROGRAM_GO, true, "Go program");
	build("strip -o go_stripped go_program");
	expect("./go_stripped", PROGRAM_GO, true, "Go program");
}

static void the_sanitizer_comes_first(void **state)
{
	(void)state;
	build("gcc -fsanitize=address -o asan main.c");
	expect("./asan", PROGRAM_ASAN, true, "AddressSanitizer");
	assert_int_equal(strncmp(examine("./asan")->asan, "libasan.so", 10), 0);
}

static void a_program_of_somebody_else_is_secure(void **state)
{
	(void)state;
	build("cc -o secure main.c");
	/* only root can give files away; and a nosuid file system makes it harmless */
	if (geteuid() || chown("secure", 65534, (gid_t)-1) || chmod("secure", 04755) ||
	    !system("findmnt -no OPTIONS -T . | grep -q nosuid"))
		skip();
	expect("./secure", PROGRAM_SECURE, true, "privileges");
	assert_int_equal(chown("secure", getuid(), (gid_t)-1) | chmod("secure", 04755), 0);
	expect("./secure", PROGRAM_DYNAMIC, true, NULL);
}

static void a_missing_loader_is_named(void **state)
{
	(void)state;
	build("cc -Wl,--dynamic-linker=/lib/ld-linux-none.so.9 -o no_loader main.c");
	expect("./no_loader", PROGRAM_NO_LOADER, true, "/lib/ld-linux-none.so.9");
}

static void scripts_are_judged_by_what_runs_them(void **state)
{
	char text[256], here[128];

	(void)state;
	build("cc -static -o static main.c");
	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(text, sizeof(text), "#!%s/static -x\n", here);
	write_file("by_static", text, 0755);
	expect("./by_static", PROGRAM_STATIC, true, "is run by");
	snprintf(text, sizeof(text), "#! %s/by_static\n", here);
	write_file("nested", text, 0755);
	expect("./nested", PROGRAM_STATIC, true, "is run by");
	snprintf(text, sizeof(text), "#!/usr/bin/env -S A=1 %s/static\n", here);
	write_file("by_env", text, 0755);
	expect("./by_env", PROGRAM_STATIC, true, "is run by");
	snprintf(text, sizeof(text), "#!%s/endless\n", here);
	write_file("endless", text, 0755);
	expect("./endless", PROGRAM_UNKNOWN, true, "neither");
}

static void a_script_without_a_first_line_is_the_shells(void **state)
{
	(void)state;
	write_file("plain", "echo\n", 0755);
	expect("./plain", PROGRAM_DYNAMIC, true, NULL);
	assert_true(examine("./plain")->shell_fallback);
	write_file("empty", "", 0755);
	assert_true(examine("./empty")->shell_fallback);
	write_file("shell", "#!/bin/sh\n", 0755);
	assert_false(examine("./shell")->shell_fallback);
}

static void a_missing_interpreter_is_named_harmlessly(void **state)
{
	(void)state;
	write_file("dos", "#!/bin/sh\r\n", 0755);
	expect("./dos", PROGRAM_NO_LOADER, true, "/bin/sh?");
}

static void what_cannot_be_run_is_told_apart(void **state)
{
	(void)state;
	write_file("data", "\177ELF\002\001\001 and then nothing", 0755);
	expect("./data", PROGRAM_UNKNOWN, true, "kernel");
	write_file("mode", "#!/bin/sh\n", 0644);
	expect("./mode", PROGRAM_NOT_EXECUTABLE, false, "chmod");
	expect("/tmp", PROGRAM_DIRECTORY, false, "directory");
	expect("./none", PROGRAM_MISSING, false, "No such file");
	expect("none-of-that-name", PROGRAM_MISSING, false, "PATH");
	expect("", PROGRAM_MISSING, false, "not found");
}

static void path_is_searched_as_execvp_does(void **state)
{
	char *old = strdup(getenv("PATH")), path[256];

	(void)state;
	mkdir("first", 0755);
	mkdir("second", 0755);
	write_file("first/tool", "", 0644); /* may not be executed: passed over */
	write_file("second/tool", "", 0755);
	write_file("here", "", 0755);
	setenv("PATH", "nowhere:first::second", 1);
	assert_int_equal(program_find("tool", path, sizeof(path)), 0);
	assert_string_equal(path, "second/tool");
	assert_int_equal(program_find("here", path, sizeof(path)), 0);
	assert_string_equal(path, "./here");
	setenv("PATH", "first", 1);
	assert_int_equal(program_find("tool", path, sizeof(path)), -1);
	assert_int_equal(errno, EACCES);
	assert_string_equal(path, "first/tool");
	unsetenv("PATH");
	assert_int_equal(program_find("sh", path, sizeof(path)), 0);
	setenv("PATH", old, 1);
	free(old);
}

static void first_lines_are_parsed_as_the_kernel_and_env_do(void **state)
{
	static const struct {
		const char *line, *interpreter, *program;
	} lines[] = {
		{"#!/bin/sh\n", "/bin/sh", ""},
		{"#!  /bin/sh -e\n", "/bin/sh", ""},
		{"#!/usr/bin/env python3\n", "/usr/bin/env", "python3"},
		{"#!/usr/bin/env -S python3 -u\n", "/usr/bin/env", "python3"},
		{"#!/usr/bin/env -Spython3 -u\n", "/usr/bin/env", "python3"},
		{"#!/usr/bin/env -i -u HOME A=b perl", "/usr/bin/env", "perl"},
	};
	struct shebang s;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_true(program_find_shebang(lines[i].line, strlen(lines[i].line), &s));
		assert_string_equal(s.interpreter, lines[i].interpreter);
		assert_string_equal(s.program, lines[i].program);
	}
	assert_false(program_find_shebang("#!\n/bin/sh", 10, &s));
	assert_false(program_find_shebang("# !/bin/sh\n", 11, &s));
	assert_false(program_find_shebang("#!", 2, &s));
}

static int enter_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory) || chdir(directory))
		return -1;
	write_file("main.c", "int main(void) { return 0; }\n", 0644);
	return 0;
}

static int remove_directory(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", directory, directory);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dynamic_program_needs_no_notice),
		cmocka_unit_test(a_static_program_is_invisible),
		cmocka_unit_test(a_static_pie_program_is_no_shared_one),
		cmocka_unit_test(musl_takes_the_library),
		cmocka_unit_test(another_libc_would_refuse_the_library),
		cmocka_unit_test(another_architecture_is_named),
		cmocka_unit_test(go_is_known_even_when_stripped),
		cmocka_unit_test(the_sanitizer_comes_first),
		cmocka_unit_test(a_program_of_somebody_else_is_secure),
		cmocka_unit_test(a_missing_loader_is_named),
		cmocka_unit_test(scripts_are_judged_by_what_runs_them),
		cmocka_unit_test(a_script_without_a_first_line_is_the_shells),
		cmocka_unit_test(a_missing_interpreter_is_named_harmlessly),
		cmocka_unit_test(what_cannot_be_run_is_told_apart),
		cmocka_unit_test(path_is_searched_as_execvp_does),
		cmocka_unit_test(first_lines_are_parsed_as_the_kernel_and_env_do),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
