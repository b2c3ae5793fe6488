// SPDX-License-Identifier: GPL-3.0-or-later
/* Code objects made up in memory: which are taken for one, how long they are known, and what is
 * recorded of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>

#include "preload/clock/clock.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/python/python_private.h"
#include "preload/system/sys.h"
#include "tests/unit/preload/made_thread.h"

/* As CPython 3.12 has them, where it does not matter: in another order. */
struct object {
	int64_t references;
	const void *type;
};
struct text {
	struct object object;
	uint64_t length, hash;
	uint32_t state, none;
	union {
		uint8_t ascii[512];
		struct {
			uint64_t utf8[2];
			union {
				uint8_t latin1[512];
				uint16_t ucs2[512];
				uint32_t ucs4[512];
			};
		} other;
	};
};
struct bytes {
	struct object object;
	uint64_t size, hash;
	uint8_t data[64];
};
struct code {
	struct object object;
	int32_t first_line, none;
	const void *filename, *name, *table;
};
struct type {
	void *before[6];
	void (*dealloc)(void *);
};

enum { ASCII = 1u << 6 | 1u << 5 | 1u << 2, COMPACT = 1u << 5, KIND = 1u << 2 };

static void original(void *object);

/* Data of their object, as an interpreter's are. */
static struct type code_type = {.dealloc = original}, elsewhere = {.dealloc = original};
static struct type text_type, bytes_type;
static struct text name, file;
static struct bytes table;
static struct code code, twin;
static struct python_layout layout;
static struct scp_thread *thread;
static uint8_t *room; /* of the file */

static const void *dead[8];
static unsigned deaths;

static void original(void *object)
{
	dead[deaths++ % 8] = object;
	errno = EBADF; /* the interpreter's own business */
}

static void set_text(struct text *t, const char *ascii)
{
	*t = (struct text){{1, &text_type}, strlen(ascii), 0, ASCII, 0, {{0}}};
	memcpy(t->ascii, ascii, strlen(ascii));
}

/* Whole, with lines 10 and, from the third unit on, 12. */
static void make_code(void)
{
	/* 1000 1111: a line without columns... */
	static const uint8_t positions[] = {0x80 | 13 << 3 | 1, 0, 0x80 | 11 << 3 | 0, 4, 9};

	set_text(&name, "Service.reply");
	set_text(&file, "/srv/service.py");
	table = (struct bytes){{1, &bytes_type}, sizeof positions, 0, {0}};
	memcpy(table.data, positions, sizeof positions);
	code = (struct code){{1, &code_type}, 10, 0, &file, &name, &table};
	twin = code;
}

#define ROOM (1u << 20)
static struct scp_header header;

static bool is_watched(void)
{
	return python_code_watch(thread, &layout) == PYTHON_WATCH_SEEN;
}

static int begin(void **state)
{
	(void)state;
	layout = (struct python_layout){
		.minor = 12,
		.code_filename = offsetof(struct code, filename),
		.code_name = offsetof(struct code, name),
		.code_first_line = offsetof(struct code, first_line),
		.code_table = offsetof(struct code, table),
		.table = PYTHON_POSITIONS,
		.object_type = offsetof(struct object, type),
		.bytes_size = offsetof(struct bytes, size),
		.bytes_data = offsetof(struct bytes, data),
		.text_length = offsetof(struct text, length),
		.text_state = offsetof(struct text, state),
		.text_ascii = offsetof(struct text, ascii),
		.text_compact = offsetof(struct text, other.latin1),
		.type_dealloc = offsetof(struct type, dealloc),
		.code_type = (uint64_t)&code_type,
		.text_type = (uint64_t)&text_type,
		.bytes_type = (uint64_t)&bytes_type,
	};
	make_code();
	code_type.dealloc = original;
	deaths = 0;
	memset(room, 0, ROOM);
	process.file->header = &header;
	process.file->region[0] = (struct file_region){.at = room, .bytes = ROOM};
	process.file->regions = 1;
	process.file->growing = 0;
	header.losses.growth_failures = 0;
	python_code_forget();
	process_epoch.now.generation = 1;
	process_epoch.now.session = thread->session = 1;
	return is_watched() ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	python_put_back();
	return 0;
}

static const struct python_code *find(const struct code *c)
{
	return python_code_find(thread, &layout, (uint64_t)c);
}

static uint64_t frame_of(const struct python_code *known, int64_t instruction)
{
	return python_code_line(thread, &layout, known, instruction);
}

/* The record of this type and id; NULL: none. `count`: of the type. */
static const void *record(uint32_t type, uint32_t id, unsigned *count)
{
	const void *found = NULL;

	*count = 0;
	for (uint64_t chunk = 0; chunk < ROOM; chunk += SCP_GRANULE) {
		const struct scp_chunk *c = (const void *)(room + chunk);
		if (c->magic != SCP_OPTIONAL_MAGIC)
			continue;
		assert_int_equal(c->type, SCP_OPTIONAL_SOURCE);
		assert_int_equal(c->table, 0);
		for (uint64_t at = sizeof *c; at < c->used;) {
			const struct scp_source_line *r = (const void *)(room + chunk + at);
			assert_true(r->rec.bytes && r->rec.bytes % SCP_RECORD_ALIGN == 0);
			at += r->rec.bytes;
			assert_true(at <= c->used);
			if (r->rec.type != type)
				continue;
			++*count;
			if (r->id == id)
				found = r;
		}
	}
	return found;
}

static const struct scp_source_function *function_record(uint32_t id)
{
	unsigned count;
	return record(SCP_REC_SOURCE_FUNCTION, id, &count);
}

static const struct scp_source_line *line_record(uint64_t frame)
{
	unsigned count;

	assert_int_equal(SCP_FRAME_MODULE(frame), SCP_FRAME_SOURCE);
	return record(SCP_REC_SOURCE_LINE, (uint32_t)SCP_FRAME_OFFSET(frame), &count);
}

static unsigned records(uint32_t type)
{
	unsigned count;
	record(type, 0, &count);
	return count;
}

static void die(struct code *c)
{
	c->object.references = 0;
	code_type.dealloc(c);
	assert_ptr_equal(dead[(deaths - 1) % 8], c);
}

static void test_a_function_and_its_lines_are_recorded(void **state)
{
	const struct python_code *known = find(&code);
	const struct scp_source_function *f;
	const struct scp_source_line *l;

	(void)state;
	assert_non_null(known);
	assert_true(known->serial != 0);
	assert_int_equal(known->address, (uint64_t)&code);
	assert_ptr_equal(find(&code), known);
	f = function_record(known->function);
	assert_non_null(f);
	assert_int_equal(f->language, SCP_LANGUAGE_PYTHON);
	assert_int_equal(f->first_line, 10);
	assert_string_equal(f->strings, "Service.reply");
	assert_int_equal(f->name_bytes, sizeof "Service.reply");
	assert_string_equal(f->strings + f->name_bytes, "/srv/service.py");
	assert_int_equal(f->file_bytes, sizeof "/srv/service.py");
	l = line_record(frame_of(known, 2));
	assert_non_null(l);
	assert_int_equal(l->function, known->function);
	assert_int_equal(l->line, 10);
	assert_int_equal(l->instruction, 0); /* where its entry begins */
	assert_int_equal(l->column, 0);
	l = line_record(frame_of(known, 4));
	assert_int_equal(l->line, 11);
	assert_int_equal(l->instruction, 4);
	assert_int_equal(l->column, 5);
	assert_int_equal(l->end_column, 10);
	l = line_record(frame_of(known, -2));
	assert_int_equal(l->line, 10);
	assert_int_equal(l->instruction, PYTHON_TABLE_BEFORE);
	l = line_record(frame_of(known, 6)); /* beyond the table */
	assert_int_equal(l->line, 0);
	assert_int_equal(frame_of(known, 0), frame_of(known, 2));
	assert_int_equal(frame_of(known, -1), frame_of(known, -2));
	assert_int_equal(records(SCP_REC_SOURCE_LINE), 4);
	assert_int_equal(records(SCP_REC_SOURCE_FUNCTION), 1);
}

static void test_what_dies_is_not_known_and_its_address_is_another_s(void **state)
{
	const struct python_code *known = find(&code), *again;
	uint64_t serial = known->serial, before = frame_of(known, 4);

	(void)state;
	errno = 0;
	die(&code);
	assert_int_equal(deaths, 1);
	assert_int_equal(known->serial, 0);
	assert_int_equal(frame_of(known, 2), 0); /* a line that was not found before */
	assert_null(find(&code));		 /* it is dying */
	make_code();
	set_text(&name, "another");
	again = find(&code);
	assert_ptr_equal(again, known);
	assert_true(again->serial != 0 && again->serial != serial);
	assert_int_equal(again->function, 2);
	assert_int_not_equal(frame_of(again, 4), before);
	errno = ENOENT;
	code_type.dealloc(&twin); /* which nobody knows */
	assert_int_equal(deaths, 2);
	assert_int_equal(errno, EBADF); /* as the original left it */
	assert_ptr_equal(find(&code), again);
}

static void test_equal_functions_are_recorded_once(void **state)
{
	uint32_t function = find(&code)->function;
	uint64_t frame = frame_of(find(&code), 4);

	(void)state;
	assert_int_equal(find(&twin)->function, function);
	assert_true(find(&twin)->serial != find(&code)->serial);
	assert_int_equal(frame_of(find(&twin), 4), frame);
	for (unsigned i = 0; i < 100; i++) { /* the same text, compiled again and again */
		die(&code);
		make_code();
		assert_int_equal(frame_of(find(&code), 4), frame);
	}
	assert_int_equal(records(SCP_REC_SOURCE_FUNCTION), 1);
	assert_int_equal(records(SCP_REC_SOURCE_LINE), 1);
	for (unsigned i = 0; i < 4; i++) { /* each of what makes them equal */
		die(&code);
		make_code();
		code.first_line += i == 0;
		table.data[4] += i == 1;
		if (i == 2)
			set_text(&file, "/srv/services.py");
		if (i == 3)
			set_text(&name, "Service.reply2");
		assert_int_equal(find(&code)->function, function + 1 + i);
	}
}

/* In each word of each object in turn, what can be no such word. */
static void test_garbage_is_no_code(void **state)
{
	const uint64_t garbage[] = {
		0, 1, 8, 0x123456789abcdef1, UINT64_MAX, UINT64_MAX & ~7u, UINT64_C(1) << 46};
	uint64_t *const words[] = {(uint64_t *)&code, (uint64_t *)&name, (uint64_t *)&file,
				   (uint64_t *)&table};
	const unsigned count[] = {sizeof code / 8, 5, 5, 3};

	(void)state;
	for (unsigned o = 0; o < 4; o++)
		for (unsigned w = 0; w < count[o]; w++)
			for (unsigned g = 0; g < sizeof garbage / sizeof *garbage; g++) {
				make_code();
				uint64_t *word = &words[o][w], was = *word;
				bool decides = (o ? w == 1 : w != 0 && w != 2);
				*word = garbage[g];
				const struct python_code *known = find(&code);
				if (decides && garbage[g] != was)
					assert_null(known);
				if (known) {
					frame_of(known, 2);
					code.object.references = 1;
					die(&code);
				}
			}
	for (unsigned g = 0; g < sizeof garbage / sizeof *garbage; g++)
		assert_null(python_code_find(thread, &layout, garbage[g]));
	make_code();
	table.size = UINT64_MAX; /* less than none */
	assert_null(find(&code));
	make_code();
	code.object.references = (int64_t)UINT32_MAX; /* 3.12: immortal */
	assert_non_null(find(&code));
	die(&code);
	make_code();
	table.size = 2u << 20; /* more than is read: its lines are not known */
	assert_int_equal(line_record(frame_of(find(&code), 0))->line, 0);
}

static void test_objects_at_the_end_of_memory(void **state)
{
	uint8_t *page =
		mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_int_equal(mprotect(page + 4096, 4096, PROT_NONE), 0);
	for (unsigned bytes = 8; bytes < sizeof table; bytes += 8) {
		make_code();
		table.size = 30;
		code.table = page + 4096 - bytes;
		memcpy(page + 4096 - bytes, &table, bytes);
		bool fits = bytes >= offsetof(struct bytes, data) + 30;
		const struct python_code *known = find(&code);
		assert_int_equal(known != NULL, fits);
		if (known)
			die(&code);
	}
	for (unsigned bytes = 8; bytes < 80; bytes += 8) {
		make_code();
		code.name = page + 4096 - bytes;
		memcpy(page + 4096 - bytes, &name, bytes);
		bool fits = bytes >= offsetof(struct text, ascii) + name.length;
		const struct python_code *known = find(&code);
		assert_int_equal(known != NULL, fits);
		if (known)
			die(&code);
	}
	munmap(page, 2 * 4096);
}

static const char *recorded_name(void)
{
	const struct python_code *known = find(&code);
	const char *text = known ? function_record(known->function)->strings : NULL;

	if (known)
		die(&code);
	code.object.references = 1;
	return text;
}

static void set_kind(struct text *t, unsigned kind, const uint32_t *c, unsigned count)
{
	*t = (struct text){{1, &text_type}, count, 0, COMPACT | KIND * kind, 0, {{0}}};
	for (unsigned i = 0; i < count; i++)
		memcpy((uint8_t *)t->other.latin1 + i * kind, &c[i], kind);
}

static void test_text_of_each_kind_is_utf8(void **state)
{
	const uint32_t latin1[] = {'a', 0xe9, 0xff, 0x80}, ucs2[] = {0x20ac, 0xd800, 'b', 0xdfff},
		       ucs4[] = {0x1f40d, 'c', 0x110000, 0x10ffff};

	(void)state;
	set_text(&name, "a\x1b[31m\n\x7f z");
	assert_string_equal(recorded_name(), "a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd z");
	set_kind(&name, 1, latin1, 4);
	assert_string_equal(recorded_name(), "a\xc3\xa9\xc3\xbf\xef\xbf\xbd");
	set_kind(&name, 2, ucs2, 4);
	assert_string_equal(recorded_name(), "\xe2\x82\xac\xef\xbf\xbd"
					     "b\xef\xbf\xbd");
	set_kind(&name, 4, ucs4, 4);
	assert_string_equal(recorded_name(), "\xf0\x9f\x90\x8d"
					     "c\xef\xbf\xbd\xf4\x8f\xbf\xbf");
	set_text(&name, "");
	assert_string_equal(recorded_name(), "");
	set_kind(&name, 3, ucs2, 1);
	assert_null(recorded_name());
	set_kind(&name, 0, ucs2, 1);
	assert_null(recorded_name());
	set_text(&name, "x");
	name.state &= ~(1u << 5); /* the characters lie elsewhere */
	assert_null(recorded_name());
}

/* Names lose their end, files their beginning; no character is cut. */
static void test_long_text_is_cut(void **state)
{
	uint32_t c[512];
	const struct scp_source_function *f;
	char *text;

	(void)state;
	for (unsigned i = 0; i < 512; i++)
		c[i] = 0x20ac + i;
	set_kind(&name, 2, c, 512);
	set_kind(&file, 2, c, 512);
	f = function_record(find(&code)->function);
	assert_int_equal(f->name_bytes, 1 + 170 * 3);
	assert_memory_equal(f->strings, "\xe2\x82\xac\xe2\x82\xad", 6);
	assert_int_equal(f->file_bytes, 1 + 341 * 3);
	text = (char *)f->strings + f->name_bytes;
	c[0] = 0x20ac + 512 - 341;
	assert_int_equal((unsigned char)text[2], 0x80 | (c[0] & 63));
	assert_int_equal((unsigned char)text[1], 0x80 | (c[0] >> 6 & 63));
	c[0] = 0x20ac + 511;
	assert_int_equal((unsigned char)text[341 * 3 - 1], 0x80 | (c[0] & 63));
}

static void test_records_are_bounded(void **state)
{
	struct python_function f = {.file = "f", .lines = {.first_line = 1}};
	uint32_t id, most = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * ROOM / 64; i++) {
		snprintf(f.name, sizeof f.name, "%u", i);
		id = python_record_function(&f);
		if (!id)
			break;
		assert_int_equal(id, ++most);
	}
	assert_true(most > ROOM / 64 / 2); /* the file is full */
	assert_int_equal(python_record_function(&f), 0);
	assert_null(find(&code));
	assert_int_equal(records(SCP_REC_SOURCE_FUNCTION), most);
	strcpy(f.name, "0"); /* what was recorded is yet found */
	assert_int_equal(python_record_function(&f), 1);
}

static void test_a_new_file_begins_anew(void **state)
{
	const struct python_code *known = find(&code), *again;
	uint64_t serial = known->serial, frame = frame_of(known, 4);

	(void)state;
	memset(room, 0, ROOM);
	process.file->region[0].used = 0;
	python_code_forget();
	assert_int_equal(known->serial, 0);
	assert_int_equal(frame_of(known, 2), 0);
	again = find(&code);
	assert_ptr_equal(again, known);
	assert_true(again->serial > serial);
	assert_int_equal(again->function, 1);
	assert_int_equal(frame_of(again, 2), frame);	/* the first id again... */
	assert_int_equal(line_record(frame)->line, 10); /* ...of another line */
	assert_int_equal(records(SCP_REC_SOURCE_FUNCTION), 1);
}

static void test_put_back_deaths_are_unseen_and_nothing_is_known(void **state)
{
	const struct python_code *known = find(&code);
	uint64_t serial = known->serial;

	(void)state;
	assert_ptr_not_equal(code_type.dealloc, original);
	python_put_back();
	assert_ptr_equal(code_type.dealloc, original);
	assert_int_equal(known->serial, 0);
	assert_null(find(&code));
	assert_true(is_watched());
	assert_ptr_not_equal(code_type.dealloc, original);
	assert_true(find(&code)->serial > serial);
}

static void (*under_theirs)(void *);
static unsigned theirs_called;

static void theirs(void *object)
{
	theirs_called++;
	under_theirs(object);
}

static void test_what_others_put_there_stays_and_works(void **state)
{
	const struct python_code *known;

	(void)state;
	under_theirs = code_type.dealloc;
	code_type.dealloc = theirs;
	known = find(&code);
	python_put_back();
	assert_ptr_equal(code_type.dealloc, theirs);
	die(&code); /* through ours, which goes on */
	assert_int_equal(deaths, 1);
	assert_int_equal(theirs_called, 1);
	/* in front of theirs, which calls ours, it would go round in a circle */
	make_code();
	assert_int_equal(python_code_watch(thread, &layout), PYTHON_WATCH_NEVER);
	assert_ptr_equal(code_type.dealloc, theirs);
	assert_null(find(&code));
	assert_int_equal(known->serial, 0);
}

static void test_what_was_put_back_stays_so_for_threads_of_that_session(void **state)
{
	(void)state;
	process_epoch.now.session = 0;
	process_epoch.now.generation = 0;
	python_put_back();
	assert_int_equal(python_code_watch(thread, &layout), PYTHON_WATCH_LATER);
	process_epoch.now.session = 2;
	process_epoch.now.generation = 2;
	assert_int_equal(python_code_watch(thread, &layout), PYTHON_WATCH_LATER);
	assert_ptr_equal(code_type.dealloc, original);
	thread->session = 2;
	assert_true(is_watched());
	assert_ptr_not_equal(code_type.dealloc, original);
}

static void test_an_interpreter_that_was_loaded_again_is_watched_anew(void **state)
{
	const struct python_code *known = find(&code);

	(void)state;
	code_type.dealloc = original;
	process_epoch.now.generation++;
	assert_true(is_watched());
	assert_ptr_not_equal(code_type.dealloc, original);
	assert_int_equal(known->serial, 0);
	assert_ptr_equal(find(&code), known);
	elsewhere.dealloc = original;
	layout.code_type = (uint64_t)&elsewhere;
	assert_true(is_watched());
	assert_ptr_not_equal(elsewhere.dealloc, original);
	assert_ptr_equal(code_type.dealloc, original);
	assert_int_equal(known->serial, 0);
}

static void test_what_cannot_be_written_is_refused(void **state)
{
	struct type *read_only =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	read_only->dealloc = original;
	assert_int_equal(mprotect(read_only, 4096, PROT_READ), 0);
	layout.code_type = (uint64_t)read_only;
	assert_int_equal(python_code_watch(thread, &layout),
			 PYTHON_WATCH_NEVER); /* another interpreter's */
	python_put_back();
	assert_int_equal(python_code_watch(thread, &layout), PYTHON_WATCH_NEVER);
	assert_null(find(&code));
	munmap(read_only, 4096);
	assert_int_equal(python_code_watch(thread, &layout),
			 PYTHON_WATCH_NEVER); /* nothing at all is there */
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_a_function_and_its_lines_are_recorded),
		TEST(test_what_dies_is_not_known_and_its_address_is_another_s),
		TEST(test_equal_functions_are_recorded_once),
		TEST(test_garbage_is_no_code),
		TEST(test_objects_at_the_end_of_memory),
		TEST(test_text_of_each_kind_is_utf8),
		TEST(test_long_text_is_cut),
		TEST(test_records_are_bounded),
		TEST(test_a_new_file_begins_anew),
		TEST(test_put_back_deaths_are_unseen_and_nothing_is_known),
		TEST(test_what_others_put_there_stays_and_works),
		TEST(test_what_was_put_back_stays_so_for_threads_of_that_session),
		TEST(test_an_interpreter_that_was_loaded_again_is_watched_anew),
		TEST(test_what_cannot_be_written_is_refused),
	};
	room = aligned_alloc(SCP_GRANULE, ROOM);
	thread = made_thread(SCP_GRANULE, 4096);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
