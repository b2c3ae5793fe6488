// SPDX-License-Identifier: GPL-3.0-or-later
/* Which command shows where a program computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/findings/findings.h"

static char load[] = "load", file[] = "/srv/app.py", exe[] = "python3", script[] = "app.py",
	    dash[] = "-c", wrapper[] = "./start", option[] = "a b";

static void check(const char *interpreter, bool python, char *first, char *second,
		  const char *expected)
{
	struct prof_source_function function = {load, file, 1, SCP_LANGUAGE_PYTHON};
	struct prof_module module = {.path = (char *)(uintptr_t)interpreter};
	struct profile p = {.module = &module,
			    .modules = 1,
			    .source_function = &function,
			    .source_functions = python};
	char *argv[] = {first, second, option};
	struct prof_process process = {.argv = argv, .argc = 3};
	struct report r = {.profile = &p, .asked = &process};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	next_command_profile(out, &r);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void a_python_program_gets_what_names_its_functions(void **state)
{
	(void)state;
	check("/usr/bin/python3.11", true, exe, script,
	      "python3 -m cProfile -s tottime app.py 'a b'");
	check("/usr/lib/libpython3.8.so.1.0", true, exe, script,
	      "python3 -m cProfile -s tottime app.py 'a b'");
	check("/usr/lib/libpython3.12.so.1.0", true, exe, script,
	      "PYTHONPERFSUPPORT=1 perf record -g -- python3 app.py 'a b'");
	check("/usr/bin/python3.13", true, wrapper, script,
	      "PYTHONPERFSUPPORT=1 perf record -g -- ./start app.py 'a b'");
}

static void others_get_perf_alone(void **state)
{
	(void)state;
	check("/usr/bin/python3.11", true, exe, dash, "perf record -g -- python3 -c 'a b'");
	check("/usr/bin/python3.11", true, wrapper, script,
	      "perf record -g -- ./start app.py 'a b'");
	check("/usr/bin/python3.11", false, exe, script, "perf record -g -- python3 app.py 'a b'");
	check("/srv/start", true, exe, script, "perf record -g -- python3 app.py 'a b'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_python_program_gets_what_names_its_functions),
		cmocka_unit_test(others_get_perf_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
