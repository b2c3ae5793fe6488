// SPDX-License-Identifier: GPL-3.0-or-later
/* Python frames and names of generated code: read, checked, made one, merged and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/model.h"
#include "tests/unit/support/model_check.h"
#include "tests/unit/support/path_file.h"
#include "tests/unit/support/source_file.h"

#define MANY 100000u

static const char *save_process(uint32_t process)
{
	const char *path = scp_build_name(process ? "second.scp" : "first.scp");
	struct scp_build b;

	source_file_make(&b, process);
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

/* Both processes; to be freed. */
static struct profile *read_both(void)
{
	const char *path[] = {save_process(0), save_process(1)};

	return path_file_read(path, 2);
}

static const struct prof_source_function *function_of(const struct profile *p,
						      const struct prof_frame *f)
{
	assert_int_equal(f->module, PROF_SOURCE);
	return &p->source_function[p->source_line[f->offset].function];
}

static void expect_line(const struct profile *p, const struct prof_frame *f, const char *name,
			uint32_t line)
{
	assert_string_equal(function_of(p, f)->name, name);
	assert_int_equal(p->source_line[f->offset].line, line);
}

static void test_lines_and_functions_are_read(void **state)
{
	const char *path = save_process(0);
	struct profile *p = path_file_read_one(path);
	const struct prof_path *reply = &p->path[p->entry[0].path];
	const struct prof_source_line *l;

	(void)state;
	assert_int_equal(reply->frames, 4);
	expect_line(p, &reply->frame[1], "Service.reply", 142);
	expect_line(p, &reply->frame[2], "handle", 88);
	expect_line(p, &reply->frame[3], "<module>", 200);
	assert_string_equal(function_of(p, &reply->frame[1])->file, "/srv/service/service.py");
	assert_int_equal(function_of(p, &reply->frame[1])->first_line, 130);
	assert_int_equal(function_of(p, &reply->frame[1])->language, SCP_LANGUAGE_PYTHON);
	l = &p->source_line[reply->frame[1].offset];
	assert_true(l->column == 9 && l->end_column == 40 && l->instruction == 16);
	assert_int_not_equal(p->entry[0].path, p->entry[1].path);
	assert_int_equal(p->path[p->entry[2].path].flags, SCP_PATH_PYTHON_CUT);
	assert_int_equal(p->generateds, 1);
	assert_true(p->generated[0].start == 0x7f0000001000 && p->generated[0].bytes == 0x200);
	assert_string_equal(p->generated[0].name, "LazyCompile:~parse /srv/parse.js:12");
	profile_free(p);
}

static void expect_merged(const struct profile *p)
{
	assert_int_equal(p->source_functions, SOURCE_FILE_FUNCTIONS);
	assert_int_equal(p->source_lines, SOURCE_FILE_LINES);
	assert_int_equal(p->paths, SOURCE_FILE_PATHS);
	assert_int_equal(p->generateds, 2);
	assert_int_equal(p->generated[0].pid, 4711);
	assert_int_equal(p->generated[1].pid, 4712);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(p->entry[i].path, p->entry[i + 4].path);
	expect_line(p, &p->path[p->entry[8].path].frame[1], "Worker.run", 7);
}

static void test_equal_lines_of_two_processes_are_one(void **state)
{
	struct profile *p = read_both(), *q;

	(void)state;
	expect_merged(p);
	q = path_file_read_again(p);
	expect_merged(q);
	assert_null(model_difference(p, q));
	profile_free(q);
	fold_model(p, 1);
	assert_null(model_check(p));
	assert_int_equal(p->entries, SOURCE_FILE_PATHS);
	expect_line(p, &p->path[p->entry[0].path].frame[1], "Service.reply", 142);
	q = path_file_read_again(p);
	assert_null(model_difference(p, q));
	profile_free(q);
	profile_free(p);
}

static void test_the_difference_of_two_readings_keeps_them(void **state)
{
	const char *path = save_process(0);
	struct profile *p = path_file_read_one(path), *q;
	struct model_mark mark;
	struct profile_error err;

	(void)state;
	assert_int_equal(model_difference_mark(p, &mark), 0);
	path = save_process(1);
	assert_int_equal(profile_add(p, path, &err), 0);
	assert_int_equal(model_difference_make(p, &mark), 0);
	model_difference_mark_free(&mark);
	assert_int_equal(p->entries, 1);
	expect_line(p, &p->path[p->entry[0].path].frame[1], "Worker.run", 7);
	q = path_file_read_again(p);
	assert_int_equal(q->source_lines, SOURCE_FILE_LINES);
	profile_free(q);
	profile_free(p);
}

static void test_what_is_forgotten_can_come_again(void **state)
{
	const char *path = save_process(1);
	struct profile *p = path_file_read_one(save_process(0));
	uint32_t functions = p->source_functions, lines = p->source_lines;
	struct prof_source_function f = {.name = (char *)"late", .file = (char *)"late.py"};
	struct profile_error err;

	(void)state;
	for (int again = 0; again < 2; again++) {
		uint32_t late = source_add_function(p, &f);

		assert_int_equal(late, functions);
		assert_int_equal(source_add_line(p, &(struct prof_source_line){.function = late}),
				 lines);
		assert_int_equal(p->source_lines, lines + 1);
		intern_forget(p, MODEL_SOURCE_FUNCTION, functions);
		intern_forget(p, MODEL_SOURCE_LINE, lines);
		intern_forget(p, MODEL_GENERATED, 0);
		assert_int_equal(p->source_functions, functions);
		assert_true(p->source_lines == lines && p->generateds == 0);
	}
	assert_int_equal(profile_add(p, path, &err), 0);
	assert_int_equal(p->source_lines, SOURCE_FILE_LINES);
	assert_int_equal(p->source_functions, SOURCE_FILE_FUNCTIONS);
	assert_null(model_check(p));
	profile_free(p);
}

/* A file with one function and one line, and a path through the line of that id. */
static void begin_one(struct scp_build *b, struct scp_source_function **f,
		      struct scp_source_line **l, struct scp_generated **g, uint64_t line)
{
	uint64_t frame = SOURCE_FRAME(line);

	path_file_begin(b);
	path_file_path(b, 1, 0, 0, 1, &frame);
	path_file_entry(b, 1, 1, 10);
	scp_build_close_chunk(b);
	scp_build_open_optional(b, SCP_OPTIONAL_SOURCE, 0);
	*f = source_file_function(b, 1, "handle", "service.py", 3);
	*l = source_file_line(b, 1, 1, 4, 2);
	*g = source_file_generated(b, 1, 0x1000, 0x10, "code");
}

static void test_what_contradicts_itself_is_refused(void **state)
{
	struct scp_source_function *f;
	struct scp_source_line *l;
	struct scp_generated *g;
	struct scp_build b;

	static const char no_end_of_function[] =
		"of its source functions, number 1 (table 0) has a text without an end";
	static const char no_end_of_code[] =
		"of its pieces of generated code, number 1 (table 0) has a text without an end";

	(void)state;
#define REFUSE(line, change, why)                                                                  \
	do {                                                                                       \
		begin_one(&b, &f, &l, &g, line);                                                   \
		change;                                                                            \
		path_file_expect_refusal(&b, why);                                                 \
	} while (0)
	REFUSE(2, , "path 1 of table 1 names source line 2, which does not exist");
	REFUSE(0, , "names source line 0, which does not exist");
	REFUSE((UINT64_C(1) << 32) + 1, , "names source line 4294967295");
	REFUSE(1, l->id = 3, "names source line 1, which does not exist");
	REFUSE(1, l->id = 0, "of its source lines, number 0 (table 0) has the id 0");
	REFUSE(1, l->function = 2, "line 1 of table 0 names source function 2");
	REFUSE(1, source_file_line(&b, 1, 1, 9, 9), "two source lines have the id 1");
	REFUSE(1, f->id = 0, "of its source functions, number 0 (table 0) has the id 0");
	REFUSE(1, source_file_function(&b, 1, "a", "b", 9), "two source functions have the id 1");
	REFUSE(1, f->name_bytes = 0, no_end_of_function);
	REFUSE(1, f->file_bytes = 0, no_end_of_function);
	REFUSE(1, f->name_bytes = SCP_SOURCE_NAME_MAX + 1, no_end_of_function);
	REFUSE(1, f->file_bytes = SCP_SOURCE_FILE_MAX + 1, no_end_of_function);
	REFUSE(1, f->name_bytes = 30, no_end_of_function);
	REFUSE(1, f->name_bytes = 5, no_end_of_function);
	REFUSE(1, f->file_bytes = 9, no_end_of_function);
	REFUSE(1, g->id = 0, "of its pieces of generated code, number 0 (table 0) has the id 0");
	REFUSE(1, g->bytes = 0, "number 1 (table 0) has no bytes");
	REFUSE(1, g->bytes = UINT64_MAX, "number 1 (table 0) has no bytes, or too many");
	REFUSE(1, g->name_bytes = 0, no_end_of_code);
	REFUSE(1, g->name_bytes = 4, no_end_of_code);
	REFUSE(1, g->name_bytes = 100, no_end_of_code);
	REFUSE(1, source_file_generated(&b, 1, 9, 9, "a"), "two pieces of generated code");
#undef REFUSE
}

/* Ids with holes are looked up one by one. */
static void test_ids_may_have_holes(void **state)
{
	struct scp_source_function *f;
	struct scp_source_line *l;
	struct scp_generated *g;
	struct scp_build b;
	struct profile *p;

	(void)state;
	begin_one(&b, &f, &l, &g, 4000000000);
	l->id = 4000000000;
	l->function = f->id = 77;
	p = path_file_read_one(path_file_finish(&b, "holes.scp"));
	expect_line(p, p->path[0].frame, "handle", 4);
	profile_free(p);
}

static void test_of_a_running_process_what_is_unfinished_is_left_out(void **state)
{
	struct scp_source_function *f;
	struct scp_source_line *l;
	struct scp_generated *g;
	struct scp_build b;
	struct profile *p;
	uint64_t frame[] = {SOURCE_FRAME(2), SOURCE_FRAME(3)};

	(void)state;
	begin_one(&b, &f, &l, &g, 1);
	source_file_line(&b, 2, 7, 4, 2); /* its function comes later, and so does line 3 */
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	path_file_path(&b, 2, 0, 0, 1, frame);
	path_file_path(&b, 3, 0, 0, 1, frame + 1);
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	p = path_file_read_one(path_file_finish(&b, "running.scp"));
	assert_int_equal(p->paths, 1);
	assert_int_equal(p->source_lines, 1);
	expect_line(p, p->path[0].frame, "handle", 4);
	profile_free(p);
}

static const char *cleaned(struct profile *p, const char *name, const char *file)
{
	uint32_t i = source_add_function(
		p, &(struct prof_source_function){.name = (char *)name, .file = (char *)file});

	assert_int_not_equal(i, PROF_NONE);
	return *name ? p->source_function[i].name : p->source_function[i].file;
}

static void test_names_are_utf8_without_control_characters(void **state)
{
	struct profile *p = profile_new();
	char longer[2000], expected[2000];

	(void)state;
	assert_string_equal(cleaned(p, "r\xc3\xa9ply.\xe2\x82\xac\xf0\x9f\x90\x8d", ""),
			    "r\xc3\xa9ply.\xe2\x82\xac\xf0\x9f\x90\x8d");
	assert_string_equal(cleaned(p, "a\nb\x1b[1m\x7f", ""), "a?b?[1m?");
	assert_string_equal(cleaned(p,
				    "\xc2\x9b"
				    "2J",
				    ""),
			    "??2J");
	assert_string_equal(cleaned(p, "\xff\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80", ""),
			    "?? ?? ??? ????");
	assert_string_equal(cleaned(p, "cut \xe2\x82", ""), "cut ??");
	memset(longer, 'x', sizeof longer);
	memcpy(longer + SCP_SOURCE_NAME_MAX - 2, "\xc3\xa9", 2);
	longer[sizeof longer - 1] = 0;
	memset(expected, 'x', sizeof expected);
	expected[SCP_SOURCE_NAME_MAX - 2] = 0; /* half of the last character had room */
	assert_string_equal(cleaned(p, longer, ""), expected);
	memcpy(longer + sizeof longer - 1 - SCP_SOURCE_FILE_MAX, "\xc3\xa9", 2);
	expected[SCP_SOURCE_NAME_MAX - 2] = 'x';
	expected[SCP_SOURCE_FILE_MAX - 2] = 0;
	assert_string_equal(cleaned(p, "", longer), expected);
	profile_free(p);
}

static void test_generated_code_has_bytes(void **state)
{
	struct profile *p = profile_new();
	struct prof_generated g = {.start = 16, .bytes = 16, .name = (char *)"code"};

	(void)state;
	assert_int_equal(source_add_generated(p, &g), 0);
	assert_int_equal(source_add_generated(p, &g), 0);
	g.pid = 7;
	assert_int_equal(source_add_generated(p, &g), 1);
	g.bytes = 0;
	assert_int_equal(source_add_generated(p, &g), PROF_NONE);
	g.bytes = UINT64_MAX;
	assert_int_equal(source_add_generated(p, &g), PROF_NONE);
	assert_int_equal(p->generateds, 2);
	profile_free(p);
}

static void test_functions_of_one_name_differ_by_where_they_begin(void **state)
{
	struct prof_source_function f = {.name = (char *)"<lambda>", .file = (char *)"a.py"};
	struct profile *p = profile_new();

	(void)state;
	assert_int_equal(source_add_function(p, &f), 0);
	f.first_line = 7;
	assert_int_equal(source_add_function(p, &f), 1);
	f.language = SCP_LANGUAGE_PYTHON;
	assert_int_equal(source_add_function(p, &f), 2);
	f.file = (char *)"b.py";
	assert_int_equal(source_add_function(p, &f), 3);
	f.name = (char *)"<lambda>b.py";
	f.file = (char *)"";
	assert_int_equal(source_add_function(p, &f), 4);
	assert_int_equal(source_add_function(p, &f), 4);
	profile_free(p);
}

/* One that has that interpreter. */
static void add_process(struct profile *p, uint32_t python)
{
	const char *path = scp_build_name("python.scp");
	struct profile_error err;
	struct scp_build b;

	source_file_make(&b, 0);
	scp_build_header(&b)->python = python;
	scp_build_save(&b, path);
	scp_build_free(&b);
	assert_int_equal(profile_add(p, path, &err), 0);
}

static void test_interpreters_are_noted(void **state)
{
	const uint32_t read = SCP_PYTHON(11, SCP_PYTHON_READ);
	const uint32_t newer = SCP_PYTHON(12, SCP_PYTHON_READ);
	const uint32_t unknown = SCP_PYTHON(15, SCP_PYTHON_VERSION);
	struct profile *p = profile_new(), *q;

	(void)state;
	add_process(p, 0);
	assert_true(!p->python && !p->python_other);
	add_process(p, read);
	add_process(p, read);
	assert_true(p->python == read && !p->python_other);
	add_process(p, newer);
	assert_int_equal(p->python_other, newer);
	add_process(p, unknown);
	add_process(p, newer);
	assert_int_equal(p->python_other, unknown);
	q = path_file_read_again(p);
	assert_null(model_difference(p, q));
	assert_int_equal(q->python_other, unknown);
	profile_free(q);
	profile_free(p);
}

/* Twice, so that each is looked for among all of them. */
static void test_many_lines_are_each_found(void **state)
{
	struct profile *p = profile_new();
	char name[40];

	(void)state;
	for (uint32_t i = 0; i < 2 * MANY; i++) {
		uint32_t n = i % MANY;
		struct prof_source_line l = {.function = n, .line = n & 0xff};

		snprintf(name, sizeof name, "function_%u", n);
		assert_int_equal(
			source_add_function(
				p, &(struct prof_source_function){.name = name, .file = name}),
			n);
		assert_int_equal(source_add_line(p, &l), n);
	}
	assert_int_equal(p->source_functions, MANY);
	assert_int_equal(p->source_lines, MANY);
	profile_free(p);
}

static int clean_up(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_and_functions_are_read),
		cmocka_unit_test(test_equal_lines_of_two_processes_are_one),
		cmocka_unit_test(test_the_difference_of_two_readings_keeps_them),
		cmocka_unit_test(test_what_is_forgotten_can_come_again),
		cmocka_unit_test(test_what_contradicts_itself_is_refused),
		cmocka_unit_test(test_ids_may_have_holes),
		cmocka_unit_test(test_of_a_running_process_what_is_unfinished_is_left_out),
		cmocka_unit_test(test_names_are_utf8_without_control_characters),
		cmocka_unit_test(test_generated_code_has_bytes),
		cmocka_unit_test(test_functions_of_one_name_differ_by_where_they_begin),
		cmocka_unit_test(test_interpreters_are_noted),
		cmocka_unit_test(test_many_lines_are_each_found),
	};

	return cmocka_run_group_tests(tests, NULL, clean_up);
}
