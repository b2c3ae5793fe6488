// SPDX-License-Identifier: GPL-3.0-or-later
/* Frames of Python functions: their names, which of them is a path's site, which are of a library,
 * and which of one profile is which of another. */
#include "tests/unit/support/report_fixture.h"

#include <stdlib.h>

#include "report/compare/match.h"
#include "report/model/model.h"
#include "report/render/stacks/flame.h"
#include "report/symbols/symbolize.h"

/* The first two paths go by two lines of one function, the third by one of the same name elsewhere,
 * the fourth by a library; the fifth has no such frame. */
enum { REPLY, HANDLE, OTHER, SENDALL, HOSTILE, SOURCES };
enum { PATHS = 5, MOST = 3 };

struct made {
	struct profile p;
	struct prof_function called[2];
	struct prof_source_function function[SOURCES];
	struct prof_source_line line[8];
	struct prof_module module[1];
	struct prof_frame frame[PATHS][MOST];
	struct prof_path path[PATHS];
	struct prof_entry entry[PATHS];
	struct prof_table table[1];
	struct prof_process process[1];
};

static char hostile[] = "\033[31m<script>\xe2\x80\xae\n\"evil\"";
static char other_name[] = "other", send_name[] = "send", libc_name[] = "libc.so.6",
	    socket_path[] = "/nonexistent/sock.so";
static char exe[] = "/usr/bin/python3", program[] = "service";

static struct prof_frame source(uint32_t line)
{
	return (struct prof_frame){.module = PROF_SOURCE, .offset = line};
}

static void put_path(struct made *m, uint32_t path, uint32_t line, uint64_t calls)
{
	struct prof_sums s = {.calls = calls, .units = 1000 * calls, .units_sq = 1000000 * calls};

	s.min_units = s.max_units = 1000;
	m->frame[path][0] = (struct prof_frame){.module = 0, .offset = 0x5120};
	m->frame[path][1] = source(line);
	m->frame[path][2] = source(3);
	m->path[path] = (struct prof_path){m->frame[path], MOST, 0};
	m->entry[path] = (struct prof_entry){.path = path, .sums = s};
}

static struct profile *make(struct made *m)
{
	static char reply[] = "Service.reply", handle[] = "handle", sendall[] = "sendall",
		    here[] = "/srv/app/service.py", there[] = "/srv/old/service.py",
		    library[] = "/usr/lib/python3.11/socket.py";

	memset(m, 0, sizeof(*m));
	m->function[REPLY] = (struct prof_source_function){reply, here, 130, 1};
	m->function[HANDLE] = (struct prof_source_function){handle, here, 75, 1};
	m->function[OTHER] = (struct prof_source_function){reply, there, 130, 1};
	m->function[SENDALL] = (struct prof_source_function){sendall, library, 300, 1};
	m->function[HOSTILE] = (struct prof_source_function){hostile, hostile, 1, 1};
	m->line[0] = (struct prof_source_line){REPLY, 142, 9, 40, 16, {0}};
	m->line[1] = (struct prof_source_line){REPLY, 145, 9, 40, 50, {0}};
	m->line[2] = (struct prof_source_line){OTHER, 142, 9, 40, 16, {0}};
	m->line[3] = (struct prof_source_line){HANDLE, 88, 0, 0, 30, {0}};
	m->line[4] = (struct prof_source_line){SENDALL, 310, 9, 12, 2, {0}};
	m->line[5] = (struct prof_source_line){HOSTILE, UINT32_MAX, UINT32_MAX, 0, 0, {0}};
	for (uint32_t i = 0; i < 4; i++)
		put_path(m, i, i < 3 ? i : 4, 100 - 10 * i);
	put_path(m, 4, 0, 10);
	m->path[4].frames = 1;
	m->called[0] = (struct prof_function){.name = send_name, .library = libc_name};
	m->module[0] = (struct prof_module){.path = socket_path};
	m->table[0] = (struct prof_table){.tid = 1, .threads = 1, .name = "service"};
	m->process[0] = (struct prof_process){.pid = 1, .count = 1, .exe = exe, .program = program};
	m->process[0].file = program;
	m->p = (struct profile){.clock = {.kind = SCP_CLOCK_TSC, .ns_per_unit = 1, .tick_ns = 1},
				.process = m->process,
				.table = m->table,
				.module = m->module,
				.path = m->path,
				.function = m->called,
				.entry = m->entry,
				.source_function = m->function,
				.source_line = m->line,
				.processes = 1,
				.tables = 1,
				.modules = 1,
				.paths = PATHS,
				.functions = 1,
				.entries = PATHS,
				.source_functions = SOURCES,
				.source_lines = 6};
	m->p.clock.resolution_units = 1;
	return &m->p;
}

static struct report *build(const struct profile *p, enum report_by by, bool fold)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	o.by = by;
	o.fold = fold;
	r = report_build(p, &o);
	assert_non_null(r);
	return r;
}

static void a_line_has_its_function_and_file(void **state)
{
	struct made m;
	struct symbolizer *s = symbolize_new(make(&m));
	struct prof_frame of_line = source(0), of_all = symbolize_source_function(REPLY);
	const struct symbol *symbol;
	size_t count;

	(void)state;
	symbol = symbolize_frame(s, &of_line, &count);
	assert_int_equal(count, 1);
	assert_string_equal(symbol->language, "python");
	assert_string_equal(symbol->function, "Service.reply");
	assert_string_equal(symbol->brief, "Service.reply");
	assert_string_equal(symbol->file, "/srv/app/service.py");
	assert_int_equal(symbol->line, 142);
	assert_int_equal(symbol->column, 9);
	assert_int_equal(symbol->declared, 130);
	assert_int_equal(symbol->into, 16);
	assert_null(symbol->module);
	assert_false(symbol->library);
	assert_int_equal(symbol->source, SYMBOL_FROM_INTERPRETER);
	assert_ptr_equal(symbolize_frame(s, &of_line, &count), symbol); /* kept */
	symbol = symbolize_frame(s, &of_all, &count);
	assert_string_equal(symbol->function, "Service.reply");
	assert_int_equal(symbol->line, 0);
	symbolize_free(s);
}

static void what_is_not_there_has_a_name_all_the_same(void **state)
{
	struct made m;
	struct symbolizer *s = symbolize_new(make(&m));
	struct prof_frame beyond = source(6), far = symbolize_source_function(SOURCES),
			  large = source(5);
	static char empty[] = "";
	const struct symbol *symbol;
	size_t count;

	(void)state;
	assert_string_equal(symbolize_frame(s, &beyond, &count)->brief, "(unnamed)");
	assert_string_equal(symbolize_frame(s, &far, &count)->brief, "(unnamed)");
	symbol = symbolize_frame(s, &large, &count);
	assert_int_equal(symbol->line, 0);
	assert_int_equal(symbol->column, 0);
	m.function[REPLY] = (struct prof_source_function){empty, empty, 0, 77};
	symbol = symbolize_frame(s, &m.frame[0][1], &count);
	assert_string_equal(symbol->brief, "(unnamed)");
	assert_null(symbol->file);
	assert_string_equal(symbol->language, "unknown");
	symbolize_free(s);
}

static void a_library_is_known_by_its_folder(void **state)
{
	static const struct {
		const char *file, *below;
	} of[] = {
		{"/usr/lib/python3.11/socket.py", "socket.py"},
		{"/root/.pyenv/versions/3.13.0/lib/python3.13/asyncio/base_events.py",
		 "asyncio/base_events.py"},
		{"/usr/lib64/python3.9/email/message.py", "email/message.py"},
		{"/usr/lib/python3/dist-packages/flask/app.py", "flask/app.py"},
		{"/srv/env/lib/python3.11/site-packages/flask/app.py", "flask/app.py"},
		{"/usr/lib/python311.zip/socket.py", "socket.py"},
		{"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"},
		{"/srv/app/service.py", NULL},
		{"/srv/python3.11/service.py", NULL}, /* below no lib */
		{"/srv/lib/python3.11.py", NULL},     /* a file */
		{"/srv/lib/pythonic/service.py", NULL},
		{"/srv/site-packages.py", NULL},
		{"<string>", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const char *below = symbolize_source_library(of[i].file);

		assert_int_equal(!below, !of[i].below);
		if (below)
			assert_string_equal(below, of[i].below);
	}
}

static void the_site_is_the_innermost_python_frame(void **state)
{
	struct made m;
	struct report *r = build(make(&m), REPORT_BY_SITE, false);

	(void)state;
	assert_int_equal(r->sites, PATHS);
	for (uint32_t i = 0; i < r->sites; i++)
		assert_int_equal(r->site[i].frames, 1);
	assert_ptr_equal(r->site[0].frame, &m.frame[0][1]);
	assert_ptr_equal(r->site[4].frame, &m.frame[4][0]); /* of no Python function */
	report_free(r);
	m.frame[1][1] = source(0); /* two paths by one line */
	r = build(&m.p, REPORT_BY_SITE, false);
	assert_int_equal(r->sites, PATHS - 1);
	assert_int_equal(r->site[0].calls, 190);
	report_free(r);
}

static void lines_of_one_function_are_folded(void **state)
{
	struct made m;
	struct report *r = build(make(&m), REPORT_BY_SITE, true);

	(void)state;
	assert_int_equal(r->sites, PATHS - 1);
	assert_int_equal(r->site[0].calls, 190);
	assert_int_equal(r->site[0].paths, 2);
	report_free(r);
	r = build(&m.p, REPORT_BY_PATH, true);
	assert_int_equal(r->sites, PATHS - 1);
	report_free(r);
}

static void by_function_a_row_is_of_a_python_function(void **state)
{
	struct made m;
	struct report *r = build(make(&m), REPORT_BY_FUNCTION, false);
	const struct symbol *s;
	size_t count;

	(void)state;
	assert_int_equal(r->sites, PATHS - 1);
	assert_int_equal(r->site[0].calls, 190);
	assert_int_equal(r->site[0].frames, 1);
	s = frame_symbols_find(r, r->site[0].frame, &count);
	assert_string_equal(s->function, "Service.reply");
	assert_int_equal(s->line, 0);
	assert_int_equal(r->site[3].calls, 10);
	assert_int_equal(r->site[3].frames, 0); /* the function alone, as ever */
	report_free(r);
}

static char *printed(const struct profile *p, enum report_format format, enum report_by by)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	o.format = format;
	o.by = by;
	o.width = 100;
	o.full = true;
	return fixture_print(p, &o);
}

static void rows_that_print_the_same_show_their_folder(void **state)
{
	struct made m;
	char *text = printed(make(&m), REPORT_TEXT, REPORT_BY_PATH);

	(void)state;
	assert_non_null(strstr(text, "Service.reply (/srv/app/service.py:142:9"));
	assert_non_null(strstr(text, "Service.reply (/srv/old/service.py:142:9"));
	assert_non_null(strstr(text, "Service.reply (service.py:145)"));
	free(text);
	m.function[OTHER].file = m.function[REPLY].file;
	m.function[OTHER].first_line = 230;
	text = printed(&m.p, REPORT_TEXT, REPORT_BY_FUNCTION);
	assert_non_null(strstr(text, "Service.reply (service.py, from line 130)"));
	assert_non_null(strstr(text, "Service.reply (service.py, from line 230)"));
	free(text);
}

/* The interpreter's frame inside of the call site is shown only where nothing else differs. */
static void rows_differ_by_their_python_frames_first(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct prof_frame frame[2][4];
	struct made m;
	char *text;

	(void)state;
	make(&m);
	m.p.entries = 2;
	for (uint32_t i = 0; i < 2; i++) {
		frame[i][0] = (struct prof_frame){.module = 0, .offset = 0x5120 + 0x1000 * i};
		frame[i][1] = source(i);
		frame[i][2] = frame[i][3] = source(3);
		m.path[i] = (struct prof_path){frame[i], 4, 0};
	}
	o.width = 100;
	text = fixture_print(&m.p, &o);
	assert_non_null(strstr(text, "Service.reply (service.py:142)"));
	assert_non_null(strstr(text, "Service.reply (service.py:145)"));
	assert_null(strstr(text, "sock.so+0x"));
	free(text);
	frame[1][1] = source(0);
	text = fixture_print(&m.p, &o);
	assert_non_null(strstr(text, "sock.so+0x5120 < Service.reply (service.py:142)"));
	assert_non_null(strstr(text, "sock.so+0x6120 < Service.reply (service.py:142)"));
	free(text);
}

static void hostile_names_harm_no_format(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT,   REPORT_JSON,      REPORT_CSV,
						     REPORT_FOLDED, REPORT_CALLGRIND, REPORT_HTML};
	struct made m;

	(void)state;
	make(&m);
	m.frame[0][1] = source(5);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		for (enum report_by by = REPORT_BY_PATH; by <= REPORT_BY_FUNCTION; by++) {
			char *text = printed(&m.p, formats[i], by);

			assert_null(strchr(text, '\033'));
			assert_null(strstr(text, "\n\"evil"));
			if (formats[i] != REPORT_JSON)
				assert_null(strstr(text, "\xe2\x80\xae"));
			if (formats[i] == REPORT_HTML)
				assert_null(strstr(text, "m<script>"));
			free(text);
		}
}

static void an_interpreter_that_is_not_read_is_named(void **state)
{
	struct made m;
	char *text;

	(void)state;
	make(&m);
	m.p.python = SCP_PYTHON(11, SCP_PYTHON_READ);
	text = printed(&m.p, REPORT_TEXT, REPORT_BY_PATH);
	assert_null(strstr(text, "is not read"));
	free(text);
	m.p.python_other = SCP_PYTHON(14, SCP_PYTHON_VERSION);
	text = printed(&m.p, REPORT_TEXT, REPORT_BY_PATH);
	assert_non_null(strstr(text, "Python 3.14 is not read: its functions are missing"));
	free(text);
	m.p.python_other = SCP_PYTHON(7, 255); /* of a later version */
	text = printed(&m.p, REPORT_TEXT, REPORT_BY_PATH);
	assert_non_null(strstr(text, "Python 3.7 or older is not read"));
	free(text);
}

static void own_functions_are_the_programs(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct string_index strings = {0};
	struct flame flame;
	struct made m;
	struct report *r = report_build(make(&m), &o);
	uint32_t own = 0, library = 0;

	(void)state;
	assert_int_equal(flame_build(&flame, r, &strings), 0);
	for (uint32_t i = 1; i < flame.boxes; i++) {
		const struct flame_box *b = &flame.box[i];
		const char *name = strings.text[b->name];

		if (!strcmp(name, "Service.reply")) {
			assert_int_equal(b->kind, FLAME_PROGRAM);
			assert_true(strstr(strings.text[b->module], "service.py:130") != NULL);
			own++;
		}
		if (!strcmp(name, "sendall")) {
			assert_int_equal(b->kind, FLAME_LIBRARY);
			library++;
		}
	}
	assert_int_equal(own, 2); /* that of the other folder is another */
	assert_int_equal(library, 1);
	flame_free(&flame);
	string_index_clear(&strings);
	report_free(r);
}

/* How many rows are on both sides, and how many of them moved. */
static uint32_t matched(const struct made *a, const struct made *b, enum report_by by,
			uint32_t *moved)
{
	const struct profile *const both[] = {&a->p, &b->p};
	struct match *m = match_build(both, 2, 1, by);
	uint32_t rows = 0;

	assert_non_null(m);
	*moved = 0;
	for (uint32_t i = 0; i < m->rows; i++) {
		rows += m->row[i].in_base && m->row[i].in_new;
		*moved += m->row[i].moved;
	}
	match_free(m);
	return rows;
}

static void an_edit_above_a_function_changes_nothing(void **state)
{
	struct made a, b;
	uint32_t moved;

	(void)state;
	make(&a);
	make(&b);
	a.function[OTHER].name = b.function[OTHER].name = other_name;
	for (uint32_t i = 0; i < SOURCES; i++)
		b.function[i].first_line += 7;
	for (uint32_t i = 0; i < 5; i++)
		b.line[i].line += 7;
	for (enum report_by by = REPORT_BY_PATH; by <= REPORT_BY_SITE; by++) {
		assert_int_equal(matched(&a, &b, by, &moved), PATHS);
		assert_int_equal(moved, 0);
	}
	assert_int_equal(matched(&a, &b, REPORT_BY_FUNCTION, &moved), PATHS - 1);
	b.line[1].line++; /* within the function: its calls are paired in their order */
	assert_int_equal(matched(&a, &b, REPORT_BY_SITE, &moved), PATHS);
	assert_int_equal(moved, 1);
	b.function[REPLY].name = send_name;
	assert_int_equal(matched(&a, &b, REPORT_BY_SITE, &moved), PATHS - 2);
	assert_int_equal(matched(&a, &b, REPORT_BY_FUNCTION, &moved), PATHS - 2);
}

static void files_may_have_moved(void **state)
{
	static char next[] = "/srv/2/app/service.py", older[] = "/home/me/old/service.py",
		    library[] = "/root/.pyenv/versions/3.13.0/lib/python3.13/socket.py",
		    email[] = "/usr/lib/python3.11/email/message.py",
		    http[] = "/usr/lib/python3.11/http/message.py";
	struct made a, b;
	uint32_t moved;

	(void)state;
	make(&a);
	make(&b);
	a.function[OTHER].name = b.function[OTHER].name = other_name;
	b.function[REPLY].file = b.function[HANDLE].file = next;
	b.function[OTHER].file = older;
	b.function[SENDALL].file = library;
	assert_int_equal(matched(&a, &b, REPORT_BY_PATH, &moved), PATHS);
	assert_int_equal(moved, 0);
	/* Libraries have many files of one name. */
	make(&a);
	make(&b);
	a.function[OTHER].name = b.function[OTHER].name = other_name;
	a.function[SENDALL].file = email;
	b.function[SENDALL].file = http;
	assert_int_equal(matched(&a, &b, REPORT_BY_PATH, &moved), PATHS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_function_and_file),
		cmocka_unit_test(what_is_not_there_has_a_name_all_the_same),
		cmocka_unit_test(a_library_is_known_by_its_folder),
		cmocka_unit_test(the_site_is_the_innermost_python_frame),
		cmocka_unit_test(lines_of_one_function_are_folded),
		cmocka_unit_test(by_function_a_row_is_of_a_python_function),
		cmocka_unit_test(rows_that_print_the_same_show_their_folder),
		cmocka_unit_test(rows_differ_by_their_python_frames_first),
		cmocka_unit_test(hostile_names_harm_no_format),
		cmocka_unit_test(an_interpreter_that_is_not_read_is_named),
		cmocka_unit_test(own_functions_are_the_programs),
		cmocka_unit_test(an_edit_above_a_function_changes_nothing),
		cmocka_unit_test(files_may_have_moved),
	};

	return cmocka_run_group_tests_name("frames of Python functions", tests, NULL, NULL);
}
