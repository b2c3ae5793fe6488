// SPDX-License-Identifier: GPL-3.0-or-later
/* Frames of a made-up interpreter 3.12 in this process's own memory: what is read of them from
 * outside, and which of a sample's words are taken for its instruction and its frame. */
#include <dlfcn.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/python/interpreter.h"
#include "collector/sample/sample_private.h"

#define UNITS 24
#define STACK UINT64_C(0x7000000)

static struct sample_spaces spaces;
static struct sample_life *life;
static struct profile *names;
static void *library;
static uint64_t name[3][8], file[8], lines[8], code[3][40], state[32], interpreter[16], cframe[2];
/* The loop's own; the caller's, called from it; the innermost. */
static uint64_t entry[16], outer[16], inner[16];

static uint64_t at(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

static void set(void *object, size_t into, uint64_t value, size_t bytes)
{
	memcpy((uint8_t *)object + into, &value, bytes);
}

static void make_text(uint64_t *object, const char *text)
{
	object[1] = at(dlsym(library, "PyUnicode_Type"));
	object[2] = strlen(text);
	object[4] = 1 << 2 | 1 << 5 | 1 << 6; /* bytes, compact, ASCII */
	memcpy(object + 5, text, strlen(text));
}

/* A line each eight units, from 11 on. */
static void make_code(uint64_t *object, uint64_t *text)
{
	object[1] = at(dlsym(library, "PyCode_Type"));
	object[2] = UNITS;
	set(object, 68, 10, 4);
	object[112 / 8] = at(file);
	object[128 / 8] = at(text);
	object[136 / 8] = at(lines);
	set(object, 176, 1, 4);
}

static void make_frame(uint64_t *frame, const uint64_t *of, unsigned unit, const uint64_t *previous)
{
	frame[0] = at(of);
	frame[1] = at(previous);
	frame[7] = at(of) + 192 + 2 * unit;
}

static int make(void **unused)
{
	static const uint8_t table[] = {0xef, 2, 0xef, 2, 0xef, 2};
	uint64_t *runtime;

	(void)unused;
	library = dlopen(MADE "/libpython_made_12.so", RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	make_text(name[0], "inner");
	make_text(name[1], "outer");
	make_text(name[2], "unseen");
	make_text(file, "/made.py");
	lines[1] = at(dlsym(library, "PyBytes_Type"));
	lines[2] = sizeof(table);
	memcpy(lines + 4, table, sizeof(table));
	make_code(code[0], name[0]);
	make_code(code[1], name[1]);
	make_code(code[2], name[2]);
	set(entry, 70, 3, 1);
	make_frame(outer, code[1], 9, entry);
	make_frame(inner, code[0], 2, outer);
	cframe[0] = at(inner);
	state[56 / 8] = at(cframe);
	state[144 / 8] = (uint64_t)syscall(SYS_gettid);
	interpreter[72 / 8] = at(state);
	runtime = dlsym(library, "_PyRuntime");
	runtime[40 / 8] = at(interpreter);
	spaces = (struct sample_spaces){0};
	assert_true(space_add(&spaces, getpid(), true, 1));
	life = space_read(&spaces, 0);
	names = profile_new();
	assert_true(life && life->python && names);
	return 0;
}

static int unmake(void **unused)
{
	(void)unused;
	space_free(&spaces);
	profile_free(names);
	memset(entry, 0, sizeof(entry));
	return dlclose(library);
}

static void open_own(struct interpreter *p, struct safe_point_object *o)
{
	Dl_info info;

	assert_true(dladdr(dlsym(library, "_PyRuntime"), &info));
	assert_true(objects_read_tables(o, getpid(), at(info.dli_fbase)));
	interpreter_open(p, getpid(), o, 1);
	assert_non_null(p->object);
}

static size_t read_frames(const struct interpreter *p, const uint64_t *first, bool one,
			  struct interpreter_frame frame[4])
{
	struct interpreter_memory m = {.bytes = 0};

	return interpreter_read(p, at(first), one, &m, frame, 4);
}

static void test_frames_end_where_their_loop_does(void **unused)
{
	struct interpreter_frame frame[4];
	struct safe_point_object o;
	struct interpreter p;
	uint64_t further[16] = {0};

	(void)unused;
	open_own(&p, &o);
	make_frame(further, code[1], 3, NULL);
	entry[1] = at(further);
	assert_int_equal(read_frames(&p, inner, true, frame), 2);
	assert_true(!frame[0].ends && frame[1].ends);
	assert_true(frame[0].code == at(code[0]) && frame[0].at == 4);
	assert_true(frame[1].address == at(outer) && frame[1].at == 18);
	assert_int_equal(read_frames(&p, inner, false, frame), 3);
	further[1] = at(inner); /* a circle */
	assert_int_equal(read_frames(&p, inner, false, frame), 4);
	further[1] = 8; /* nothing is there */
	assert_int_equal(read_frames(&p, inner, false, frame), 3);
	entry[1] = at(entry);
	assert_int_equal(read_frames(&p, entry, false, frame), 0);
}

/* What the compiler took for rare has no symbol of the loop. */
static void test_the_loop_has_its_part_elsewhere(void **unused)
{
	uint64_t inside = at(dlsym(library, "_PyEval_EvalFrameDefault")),
		 rest = at(dlsym(library, "made_cold"));
	struct safe_point_place loop[2];

	(void)unused;
	python_loop(life->python, loop);
	assert_true(inside - loop[0].address < loop[0].bytes);
	assert_true(rest - loop[1].address < loop[1].bytes);
	assert_false(at(dlsym(library, "made_finalize")) - loop[1].address < loop[1].bytes);
	python_loop(NULL, loop);
	assert_true(loop[0].bytes == 0 && loop[1].bytes == 0);
}

/* Where a loop begins lies on the C stack, which is as the sample copied it. */
static void test_a_frame_on_the_stack_is_that_of_the_copy(void **unused)
{
	uint64_t copied[16];
	struct interpreter_memory m = {.stack = (const uint8_t *)copied,
				       .stack_at = at(entry),
				       .stack_bytes = sizeof(copied)};
	struct interpreter_frame frame[4];
	struct safe_point_object o;
	struct interpreter p;

	(void)unused;
	open_own(&p, &o);
	memcpy(copied, entry, sizeof(copied));
	memset(entry, 0, sizeof(entry)); /* another function's by now */
	assert_int_equal(interpreter_read(&p, at(inner), true, &m, frame, 4), 2);
	assert_true(frame[1].ends);
	m.stack_bytes = INTERPRETER_FRAME - 1; /* too short for one */
	assert_int_equal(interpreter_read(&p, at(inner), true, &m, frame, 4), 3);
	assert_false(frame[1].ends);
}

static void test_a_code_object_is_known_by_what_it_holds(void **unused)
{
	struct interpreter_code one, other;
	struct safe_point_object o;
	struct interpreter p;

	(void)unused;
	open_own(&p, &o);
	assert_true(interpreter_code(&p, at(code[0]), &one));
	assert_true(one.start == at(code[0]) + 192 && one.end == one.start + 2 * UNITS);
	assert_int_equal(one.prepared, 2);
	code[0][128 / 8] = at(name[1]);
	assert_true(interpreter_code(&p, at(code[0]), &other));
	assert_true(one.identity != other.identity);
	code[0][2] = UINT64_C(1) << 60;
	assert_false(interpreter_code(&p, at(code[0]), &other));
	make_code(code[0], name[0]);
	code[0][1]++;
	assert_false(interpreter_code(&p, at(code[0]), &other));
	code[0][1]--;
	assert_false(interpreter_code(&p, at(code[0]) + 4, &other));
	assert_false(interpreter_code(&p, 8, &other));
}

static uint64_t piece[8];
static struct interpreter_chain chain; /* comes with a sample where it has frames */

/* A sample whose instruction is in register 12 and whose frame in a word of the stack, among others
 * that look like them. */
static enum python_found sample(uint64_t instruction, uint64_t frame, struct sample_path *path)
{
	const struct sample_stack stack = {.at = STACK,
					   .bytes = (const uint8_t *)piece,
					   .count = sizeof(piece),
					   .tid = life->pid,
					   .now_ns = 1000,
					   .chain = chain.frames ? &chain : NULL};
	struct safe_point_held h = {.start = STACK, .end = STACK + sizeof(piece)};

	h.of[3] = at(code[0]) + 192 + 8; /* never changes */
	h.of[12] = instruction;
	piece[2] = frame;
	piece[5] = at(outer);
	path->frames = 0;
	return python_frames(life->python, &h, true, &stack, names, path);
}

static bool is_line(const struct prof_frame *f, const char *function, uint32_t line)
{
	const struct prof_source_line *l = &names->source_line[f->offset];

	return f->module == PROF_SOURCE && f->offset < names->source_lines && l->line == line &&
	       !strcmp(names->source_function[l->function].name, function);
}

static void test_places_are_learnt_and_tell_of_the_samples_instant(void **unused)
{
	static struct sample_path path;
	uint64_t first = at(code[0]) + 192;

	(void)unused;
	for (unsigned i = 1; i < 20; i++)
		sample(first + 2 * i, at(inner), &path);
	assert_int_equal(sample(first + 2 * 10, at(inner), &path), PYTHON_WHOLE);
	assert_int_equal(path.frames, 2);
	assert_true(is_line(&path.frame[0], "inner", 12) && is_line(&path.frame[1], "outer", 12));
	/* What the function needs before it begins counts for it. */
	assert_int_equal(sample(first + 2, at(inner), &path), PYTHON_WHOLE);
	assert_true(is_line(&path.frame[0], "inner", 11));
	/* Another function's frame is there by now: the instruction still tells. */
	inner[0] = at(code[1]);
	assert_int_equal(sample(first + 2 * 20, at(inner), &path), PYTHON_CUT);
	assert_int_equal(path.frames, 1);
	assert_true(is_line(&path.frame[0], "inner", 13));
	inner[0] = at(code[0]);
	/* A code object that no state has shown is found before its instruction. */
	assert_int_equal(sample(at(code[2]) + 192 + 4, 0, &path), PYTHON_CUT);
	assert_true(path.frames == 1 && is_line(&path.frame[0], "unseen", 11));
}

/* This process again, of the number 1 in a namespace of its own; 0: none may be made here. */
static pid_t begin_inner(void)
{
	pid_t pid;

	state[144 / 8] = 1;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		for (;;)
			pause();
	return pid > 0 ? pid : 0;
}

static void test_a_state_is_found_by_the_threads_number_in_its_namespace(void **unused)
{
	static struct sample_path path;
	uint64_t first = at(code[0]) + 192;
	pid_t inside = begin_inner();

	(void)unused;
	if (!inside)
		skip();
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
	assert_true(space_add(&spaces, inside, true, 1));
	life = space_read(&spaces, 0);
	assert_true(life && life->python);
	for (unsigned i = 1; i < 20; i++)
		sample(first + 2 * i, at(inner), &path);
	enum python_found found = sample(first + 2 * 10, at(inner), &path);

	kill(inside, SIGKILL);
	assert_int_equal(waitpid(inside, NULL, 0), inside);
	assert_int_equal(found, PYTHON_WHOLE);
	assert_true(path.frames == 2 && is_line(&path.frame[0], "inner", 12));
}

static void put_chain(const uint64_t *const *frame, size_t count)
{
	for (chain.frames = 0; chain.frames < count; chain.frames++) {
		struct interpreter_chained *to = &chain.frame[chain.frames];

		to->address = at(frame[chain.frames]);
		memcpy(to->bytes, frame[chain.frames], sizeof(to->bytes));
	}
}

/* What was copied at the sample's instant tells, whatever is there by now; also where a call has
 * just its frame, or no longer. */
static void test_a_chain_tells_of_the_samples_instant(void **unused)
{
	const uint64_t *const all[] = {inner, outer, entry};
	static struct sample_path path;
	uint64_t first = at(code[0]) + 192;

	(void)unused;
	for (unsigned i = 1; i < 20; i++) {
		put_chain(all, 3);
		sample(first + 2 * i, at(inner), &path);
	}
	memset(inner, 0, sizeof(inner)); /* another function's by now */
	outer[0] = at(code[2]);
	assert_int_equal(sample(first + 2 * 10, at(inner), &path), PYTHON_WHOLE);
	assert_int_equal(path.frames, 2);
	assert_true(is_line(&path.frame[0], "inner", 12) && is_line(&path.frame[1], "outer", 12));
	/* outer is about to execute inner */
	assert_int_equal(sample(at(code[1]) + 192 + 2 * 18, at(inner), &path), PYTHON_WHOLE);
	assert_true(path.frames == 1 && is_line(&path.frame[0], "outer", 13));
	/* inner has returned to outer */
	make_frame(outer, code[1], 9, entry);
	put_chain(all + 1, 2);
	assert_int_equal(sample(first + 2 * 20, at(outer), &path), PYTHON_WHOLE);
	assert_true(path.frames == 2 && is_line(&path.frame[0], "inner", 13));
	assert_true(is_line(&path.frame[1], "outer", 12));
	/* The frame is none of these: of another state of the thread. */
	assert_int_equal(sample(first + 2 * 20, at(inner), &path), PYTHON_CUT);
	assert_int_equal(path.frames, 1);
	chain.frames = 0;
}

/* Numbers, time, size and content of a chain, as the kernel puts it; without `size`, a sample. */
static bool put_record(struct sample_events *e, struct sample_ring *r, uint32_t type, uint32_t tid,
		       uint32_t size, uint64_t frames)
{
	static uint64_t record[64];

	record[0] = type | (uint64_t)sizeof(record) << 48;
	record[1] = (uint64_t)tid << 32;
	record[3] = size;
	memcpy((uint8_t *)record + 28, &frames, sizeof(frames));
	return chain_keep(e, r, (const struct perf_event_header *)record);
}

static void test_a_chain_is_of_the_record_that_follows(void **unused)
{
	const uint32_t sample = PERF_RECORD_SAMPLE, size = 8 + 3 * sizeof(chain.frame[0]);
	struct sample_events e = {0};
	struct sample_ring r = {0};

	(void)unused;
	assert_false(put_record(&e, &r, sample, 7, 2, 0));
	assert_null(e.chain);
	assert_true(put_record(&e, &r, sample, 7, size + 4, 3));
	assert_false(put_record(&e, &r, sample, 7, 2, 0));
	assert_true(e.chain && e.chain == r.chain && e.chain->frames == 3);
	assert_false(put_record(&e, &r, sample, 7, 2, 0)); /* has none */
	assert_null(e.chain);
	assert_true(put_record(&e, &r, sample, 7, size, 3));
	assert_false(put_record(&e, &r, sample, 8, 2, 0)); /* of another thread */
	assert_null(e.chain);
	assert_true(put_record(&e, &r, sample, 7, size, 3));
	assert_false(put_record(&e, &r, PERF_RECORD_LOST, 7, 0, 0));
	assert_false(put_record(&e, &r, sample, 7, 2, 0));
	assert_null(e.chain);
	for (uint64_t frames = 4; frames; frames *= 2) { /* more than there is room for */
		assert_true(put_record(&e, &r, sample, 7, size, frames));
		assert_false(put_record(&e, &r, sample, 7, 2, 0));
		assert_null(e.chain);
	}
	assert_false(put_record(&e, &r, sample, 7, 512 - 28 + 1, 1)); /* beyond the record */
	free(r.chain);
}

/* Text that says it is ASCII, which takes one byte a character, and is not. */
static void test_a_text_takes_the_room_that_there_is(void **unused)
{
	static uint64_t longest[5 + SCP_SOURCE_FILE_MAX];
	struct safe_point_object o;
	struct prof_frame frame;
	struct interpreter p;

	(void)unused;
	open_own(&p, &o);
	memset(longest + 5, 0xb0, sizeof(longest) - 5 * sizeof(*longest));
	memcpy(longest, name[0], 5 * sizeof(*longest));
	longest[2] = 2 * SCP_SOURCE_FILE_MAX;
	code[0][112 / 8] = code[0][128 / 8] = at(longest);
	assert_true(interpreter_name(&p, at(code[0]), 4, names, &frame));
	const struct prof_source_function *f =
		&names->source_function[names->source_line[frame.offset].function];

	assert_int_equal(strlen(f->name), SCP_SOURCE_NAME_MAX - 1);
	assert_int_equal(strspn(f->name, "?"), SCP_SOURCE_NAME_MAX - 1);
	assert_int_equal(strspn(f->file, "?"), SCP_SOURCE_FILE_MAX - 1);
	for (unsigned size = 2; size <= 4; size += 2) { /* ASCII of wide characters */
		longest[4] = size << 2 | 1 << 5 | 1 << 6;
		assert_false(interpreter_name(&p, at(code[0]), 4, names, &frame));
	}
}

static void test_nonsense_is_no_frame(void **unused)
{
	static struct sample_path path;

	(void)unused;
	for (unsigned i = 1; i < 20; i++)
		sample(at(code[0]) + 192 + 2 * i, at(inner), &path);
	for (uint64_t i = 1; i < 500; i++) {
		uint64_t noise = i * UINT64_C(0x9e3779b97f4a7c15);

		memcpy((uint8_t *)code + noise % (sizeof(code) - 8), &noise, sizeof(noise));
		memcpy((uint8_t *)outer + noise % (sizeof(outer) - 8), &noise, sizeof(noise));
		sample(i % 2 ? noise : at(code) + noise % sizeof(code),
		       i % 3 ? noise : at(outer) + noise % 256, &path);
		assert_true(path.frames <= SCP_MAX_FRAMES);
	}
	memset(code, 0, sizeof(code));
	memset(outer, 0, sizeof(outer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames_end_where_their_loop_does, make,
						unmake),
		cmocka_unit_test_setup_teardown(test_the_loop_has_its_part_elsewhere, make, unmake),
		cmocka_unit_test_setup_teardown(test_a_frame_on_the_stack_is_that_of_the_copy, make,
						unmake),
		cmocka_unit_test_setup_teardown(test_a_code_object_is_known_by_what_it_holds, make,
						unmake),
		cmocka_unit_test_setup_teardown(
			test_places_are_learnt_and_tell_of_the_samples_instant, make, unmake),
		cmocka_unit_test_setup_teardown(
			test_a_state_is_found_by_the_threads_number_in_its_namespace, make, unmake),
		cmocka_unit_test_setup_teardown(test_a_chain_tells_of_the_samples_instant, make,
						unmake),
		cmocka_unit_test(test_a_chain_is_of_the_record_that_follows),
		cmocka_unit_test_setup_teardown(test_a_text_takes_the_room_that_there_is, make,
						unmake),
		cmocka_unit_test_setup_teardown(test_nonsense_is_no_frame, make, unmake),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
