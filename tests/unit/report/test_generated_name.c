// SPDX-License-Identifier: GPL-3.0-or-later
/* What makers of code call it, taken apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/symbols/generated.h"
#include "report/symbols/symbolize.h"

struct expected {
	const char *name, *function, *brief, *file;
	int line, column;
	const char *language;
	bool library;
};

static void same_text(const char *found, const char *wanted)
{
	if (wanted)
		assert_string_equal(found, wanted);
	else
		assert_null(found);
}

static void check(const struct expected *e)
{
	struct generated_name n = generated_name_parse(e->name);

	same_text(n.function, e->function);
	same_text(n.brief, e->brief ? e->brief : e->function);
	same_text(n.file, e->file);
	assert_int_equal(n.line, e->line);
	assert_int_equal(n.column, e->column);
	same_text(n.language, e->language);
	assert_int_equal(generated_name_is_library(&n), e->library);
	free(n.text);
}

static void test_names_of_javascript(void **state)
{
	static const char js[] = "javascript";
	static const struct expected names[] = {
		{"JS:*reply /srv/app.js:12:3", "reply", NULL, "/srv/app.js", 12, 3, js, false},
		{"LazyCompile:~reply /srv/app.js:12", "reply", NULL, "/srv/app.js", 12, 0, js,
		 false},
		{"Function:*get size /srv/my app.js:1:2", "get size", NULL, "/srv/my app.js", 1, 2,
		 js, false},
		{"InterpretedFunction:~f file:///srv/a.mjs:5:7", "f", NULL, "/srv/a.mjs", 5, 7, js,
		 false},
		{"JS:^ node:internal/main:1:1", "(anonymous)", NULL, "node:internal/main", 1, 1, js,
		 true},
		{"Script:~ /srv/app.js:1:1", "(anonymous)", NULL, "/srv/app.js", 1, 1, js, false},
		{"JS:~query /srv/node_modules/pg/lib/client.js:9:1", "query", NULL,
		 "/srv/node_modules/pg/lib/client.js", 9, 1, js, true},
		{"JS:~eval evalmachine.<anonymous>:2:3", "eval", NULL, "evalmachine.<anonymous>", 2,
		 3, js, false},
		{"JS:*noPlace", "noPlace", NULL, NULL, 0, 0, js, false},
		{"JS:*f a:0:99999999999999", "f a:0:99999999999999", NULL, NULL, 0, 0, js, false},
		{"JS:~", "(anonymous)", NULL, NULL, 0, 0, js, false},
		{"JS:", "JS:", NULL, NULL, 0, 0, NULL, false},
		{"Module:init", "Module:init", NULL, NULL, 0, 0, NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check(&names[i]);
}

static void test_names_of_java_and_others(void **state)
{
	static const char java[] = "java";
	static const struct expected names[] = {
		{"void App.reply(java.io.OutputStream, byte[])",
		 "App.reply(java.io.OutputStream, byte[])", "App.reply", NULL, 0, 0, java, false},
		{"int java.lang.Object.hashCode()", "java.lang.Object.hashCode()",
		 "java.lang.Object.hashCode", NULL, 0, 0, java, true},
		{"void App$$Lambda$14/0x0000000800c03000.run()", "App$$Lambda$14.run()",
		 "App$$Lambda$14.run", NULL, 0, 0, java, false},
		{"void A.<init>()", "A.<init>()", "A.<init>", NULL, 0, 0, java, false},
		{"byte[] A.get(int)", "A.get(int)", "A.get", NULL, 0, 0, java, false},
		{"Lcom/foo/Bar;", "Lcom/foo/Bar;", NULL, NULL, 0, 0, NULL, false},
		{"Interpreter", "Interpreter", NULL, NULL, 0, 0, NULL, false},
		{"StubRoutines (1)", "StubRoutines (1)", NULL, NULL, 0, 0, NULL, false},
		{"void [App] Foo::Bar(int)", "void [App] Foo::Bar(int)", NULL, NULL, 0, 0, NULL,
		 false},
		{"py::handle:/srv/app.py", "handle", NULL, "/srv/app.py", 0, 0, "python", false},
		{"py::", "py::", NULL, NULL, 0, 0, NULL, false},
		{"", "", NULL, NULL, 0, 0, NULL, false},
		{"(", "(", NULL, NULL, 0, 0, NULL, false},
		{" .()", ".()", ".", NULL, 0, 0, java, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check(&names[i]);
}

static void check_put(struct symbol *s, unsigned detail, const char *expected)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	symbolize_source_put(out, s, detail);
	fclose(out);
	assert_string_equal(text, expected);
}

static void test_generated_code_has_places_and_no_instructions(void **state)
{
	struct symbol java = {.brief = "Bar.reply", .into = 64, .source = SYMBOL_FROM_PERF_MAP};
	struct symbol js = java, python = java;

	(void)state;
	js.file = "/srv/app.js";
	js.line = 12;
	js.column = 3;
	python.source = SYMBOL_FROM_INTERPRETER;
	check_put(&java, 0, "Bar.reply");
	check_put(&java, SYMBOLIZE_SOURCE_COLUMN, "Bar.reply+0x40");
	check_put(&java, SYMBOLIZE_SOURCE_INSTRUCTION, "Bar.reply+0x40");
	check_put(&js, 0, "Bar.reply (app.js:12)");
	check_put(&js, SYMBOLIZE_SOURCE_COLUMN, "Bar.reply+0x40 (app.js:12:3)");
	check_put(&python, SYMBOLIZE_SOURCE_COLUMN, "Bar.reply (instruction 64)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_javascript),
		cmocka_unit_test(test_names_of_java_and_others),
		cmocka_unit_test(test_generated_code_has_places_and_no_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
