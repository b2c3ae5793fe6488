// SPDX-License-Identifier: GPL-3.0-or-later
/* Frames of made-up interpreters of each version: which object is one, what is read of a thread's
 * frames, and what becomes of garbage in their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/python/python_private.h"
#include "preload/system/stack.h"
#include "tests/unit/preload/made_thread.h"

#define PAGE	4096u
#define ROOM	(64 * PAGE)
#define ELEMENT 256u /* bytes of one */
#define FRAMES	6u
#define RUN	2u /* frames of one, since 3.11 */
#define OLDEST	8u
#define LATEST	15u

static struct scp_thread *t;
static uint8_t *room; /* behind it nothing can be read */

/* The interpreter that is loaded. */
static struct made {
	void *library;
	const struct python_layout *layout;
	void (*initialize)(void), (*finalize)(void), (*set_state)(void *), (*attach)(void *);
	uint64_t *runtime;
} made;

/* What was laid into memory: words that lead on, from the innermost on. */
static struct {
	uint64_t used;
	uint64_t state, frame[512], base, code, anchor[8];
	struct {
		uint64_t at, frames; /* so many frames are met before it */
	} word[2048];
	unsigned words;
} world;

/* In place of python_code.c. */
static struct python_code known = {.serial = 1};
static bool is_watched;

enum python_watch python_code_watch(const struct scp_thread *whose,
				    const struct python_layout *layout)
{
	(void)whose;
	(void)layout;
	is_watched = true;
	return PYTHON_WATCH_SEEN;
}

void python_put_back(void)
{
	is_watched = false;
}

void python_code_forget(void)
{
	known.serial++;
}

const struct python_code *python_code_find(struct scp_thread *thread,
					   const struct python_layout *layout, uint64_t address)
{
	(void)thread, (void)layout;
	return address == world.code ? &known : NULL;
}

uint64_t python_code_line(struct scp_thread *thread, const struct python_layout *layout,
			  const struct python_code *code, int64_t instruction)
{
	(void)thread, (void)layout, (void)code;
	uint64_t id = (uint64_t)(instruction + 1000);
	return SCP_FRAME(SCP_FRAME_SOURCE, 0, id);
}

static uint64_t element(void)
{
	uint64_t at = (uint64_t)room + world.used;
	world.used += ELEMENT;
	assert_true(world.used <= ROOM);
	return at;
}

static void put(uint64_t at, uint64_t value)
{
	memcpy((void *)at, &value, 8);
}

/* A word that leads on. */
static void lead(uint64_t at, uint64_t to, unsigned frames)
{
	put(at, to);
	world.word[world.words].at = at;
	world.word[world.words++].frames = frames;
}

static void *find(const char *name)
{
	void *found = dlsym(made.library, name);
	assert_non_null(found);
	return found;
}

static uint64_t make_object(const char *type)
{
	uint64_t at = element();
	put(at, 1);
	put(at + 8, (uint64_t)find(type));
	return at;
}

static void make_code(void)
{
	const struct python_layout *l = made.layout;
	world.code = make_object("PyCode_Type");
	put(world.code + l->code_name, make_object("PyUnicode_Type"));
	put(world.code + l->code_filename, make_object("PyUnicode_Type"));
	put(world.code + l->code_table, make_object("PyBytes_Type"));
}

/* The frame number `i`, which has that many units of its code behind it. */
static void make_frame(unsigned i)
{
	const struct python_layout *l = made.layout;
	uint64_t at = world.frame[i];
	uint64_t instruction = l->minor == 10 ? i : 2 * i;
	if (l->minor <= 10)
		put(at + 8, (uint64_t)find("PyFrame_Type"));
	else
		instruction += world.code + l->code_bytecode;
	lead(at + l->frame_code, world.code | (l->code_tags & 1), i);
	lead(at + l->frame_instruction, instruction, i);
	if (l->frame_owner)
		*(uint8_t *)(at + l->frame_owner) = 0;
}

/* Behind the outermost one. */
static uint64_t make_base(unsigned frames)
{
	const struct python_layout *l = made.layout;
	world.base = element();
	*(uint8_t *)(world.base + l->frame_owner) = PYTHON_ENTRY_FRAME;
	lead(world.base + l->frame_previous, 0, frames);
	return world.base;
}

/* `frames` of them in runs of RUN. */
static void make_chain(unsigned frames)
{
	const struct python_layout *l = made.layout;
	for (unsigned i = 0; i < frames; i++)
		world.frame[i] = element();
	for (unsigned i = 0; i < frames; i++) {
		uint64_t out = i + 1 < frames ? world.frame[i + 1] : 0;
		bool ends = l->has_entry_frame && (i + 1 == frames || (i + 1) % RUN == 0);
		make_frame(i);
		lead(world.frame[i] + l->frame_previous, ends ? 0 : out, i + 1);
		if (!ends)
			continue;
		uint64_t entry = element();
		if (i / RUN < 8)
			world.anchor[i / RUN] = entry;
		*(uint8_t *)(entry + l->frame_owner) = PYTHON_ENTRY_FRAME;
		if (l->has_base_frame && i + 1 == frames)
			out = make_base(frames);
		put(world.frame[i] + l->frame_previous, entry);
		lead(entry + l->frame_previous, out, i + 1);
	}
}

static void make_cframes(unsigned frames)
{
	const struct python_layout *l = made.layout;
	unsigned runs = l->has_entry_frame ? 0 : (frames + RUN - 1) / RUN;
	uint64_t at = element();
	lead(world.state + l->state_frame, at, 0);
	for (unsigned i = 0; i < runs; i++) {
		uint64_t out = element();
		if (i < 8)
			world.anchor[i] = at;
		lead(at + l->cframe_frame, world.frame[i * RUN], i ? (i - 1) * RUN : 0);
		lead(at + l->cframe_previous, out, i * RUN);
		at = out;
	}
	if (!runs)
		lead(at + l->cframe_frame, world.frame[0], 0);
}

static void make_world(unsigned frames)
{
	const struct python_layout *l = made.layout;
	memset(&world, 0, sizeof world);
	memset(room, 0, ROOM);
	world.state = element();
	put(world.state + l->state_thread, (uint64_t)pthread_self());
	make_code();
	make_chain(frames);
	if (l->has_cframe)
		make_cframes(frames);
	else
		lead(world.state + l->state_frame, world.frame[0], 0);
	made.set_state((void *)world.state);
}

static void load_from(const char *path, unsigned minor)
{
	made = (struct made){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL),
			     .layout = python_layout_of(minor)};
	assert_non_null(made.library);
	made.initialize = (void (*)(void))find("made_initialize");
	made.finalize = (void (*)(void))find("made_finalize");
	made.set_state = (void (*)(void *))find("made_set_state");
	made.attach = (void (*)(void *))find("made_attach");
	made.runtime = find("_PyRuntime");
	made.initialize();
}

static void load(unsigned minor)
{
	char path[256];
	snprintf(path, sizeof path, "%s/libpython_made_%u.so", MADE, minor);
	load_from(path, minor);
}

static void unload(void)
{
	made.finalize();
	assert_int_equal(dlclose(made.library), 0);
	process_next_generation(); /* as our dlclose does */
	known.serial++;
}

static enum python_kind kind_of(const char *name)
{
	return python_kind_of((uint64_t)find(name) + 2);
}

static bool read_frames(uint32_t depth)
{
	t->generation = process_epoch.now.generation;
	t->found.noted_count = 0;
	return python_read(t, depth);
}

/* The interpreter is met, and its layout believed. */
static void meet(void)
{
	kind_of("_PyEval_EvalFrameDefault");
	read_frames(SCP_MAX_FRAMES);
}

static bool is_noted(uint64_t at)
{
	for (uint32_t i = 0; i < t->found.noted_count; i++)
		if (t->found.noted[i].address == at)
			return true;
	return false;
}

static void words_are_as_noted(void)
{
	for (uint32_t i = 0; i < t->found.noted_count; i++)
		assert_int_equal(*(uint64_t *)t->found.noted[i].address, t->found.noted[i].value);
}

static uint64_t frame_of(unsigned i)
{
	return SCP_FRAME(SCP_FRAME_SOURCE, 0, 2 * i + 1000);
}

static void is_whole(void)
{
	const struct python_stack *s = &t->python;
	bool by_runs = made.layout->minor >= 11;
	assert_false(s->cut);
	assert_false(s->full);
	assert_int_equal(s->frames, FRAMES);
	assert_int_equal(s->runs, by_runs ? FRAMES / RUN : FRAMES);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(s->frame[i], frame_of(i));
	for (unsigned i = 0; i < s->runs; i++) {
		assert_int_equal(s->run[i].first, by_runs ? i * RUN : i);
		assert_int_equal(s->run[i].count, by_runs ? RUN : 1);
		assert_int_equal(s->run[i].anchor, by_runs ? world.anchor[i] : 0);
	}
}

static void test_each_version(void **state)
{
	(void)state;
	for (unsigned minor = OLDEST; minor <= LATEST; minor++) {
		load(minor);
		make_world(FRAMES);
		assert_false(read_frames(SCP_MAX_FRAMES)); /* nothing was met yet */
		assert_int_equal(t->found.noted_count, 0);
		assert_int_equal(python_kind_of((uint64_t)printf + 2), PYTHON_NONE);
		uint32_t before = process_epoch.now.generation;
		assert_int_equal(kind_of("_PyEval_EvalFrameDefault"), PYTHON_LOOP);
		assert_int_not_equal(process_epoch.now.generation, before);
		assert_int_equal(kind_of("made_initialize"), PYTHON_OWN);
		assert_int_equal(kind_of("made_cold"), PYTHON_LOOP);
		assert_int_equal(t->file->header->python, SCP_PYTHON(minor, SCP_PYTHON_READ));
		for (unsigned again = 0; again < 3; again++) {
			assert_true(read_frames(SCP_MAX_FRAMES));
			is_whole();
		}
		assert_true(is_watched);
		words_are_as_noted();
		for (unsigned i = 0; i < world.words; i++)
			assert_true(is_noted(world.word[i].at));
		assert_int_equal(t->file->header->python, SCP_PYTHON(minor, SCP_PYTHON_READ));
		unload();
		assert_false(read_frames(SCP_MAX_FRAMES));
		assert_false(python_is_there());
	}
}

/* While the interpreter is set up it makes many calls without a frame. */
static void test_no_frame_for_long(void **state)
{
	(void)state;
	for (unsigned minor = 13; minor <= LATEST; minor++) {
		load(minor);
		make_world(FRAMES);
		put(world.state + made.layout->state_frame, world.base); /* 0: there is none */
		kind_of("_PyEval_EvalFrameDefault");
		for (unsigned i = 0; i < 200; i++)
			assert_false(read_frames(SCP_MAX_FRAMES));
		put(world.state + made.layout->state_frame, world.frame[0]);
		read_frames(SCP_MAX_FRAMES);
		is_whole();
		unload();
	}
}

/* Of an object that holds more than the interpreter, the loop alone is the interpreter's. */
static void test_embedded(void **state)
{
	(void)state;
	load_from(MADE "/embeds_python.so", 12);
	make_world(FRAMES);
	assert_int_equal(kind_of("_PyEval_EvalFrameDefault"), PYTHON_LOOP);
	assert_int_equal(kind_of("made_cold"), PYTHON_LOOP);
	assert_int_equal(kind_of("made_initialize"), PYTHON_NONE);
	read_frames(SCP_MAX_FRAMES);
	is_whole();
	unload();
}

static void refuse(unsigned minor, enum scp_python_state why)
{
	enum python_kind kind = kind_of("_PyEval_EvalFrameDefault");
	if (kind != PYTHON_NONE) {
		uint32_t before = process_epoch.now.generation;
		assert_false(read_frames(SCP_MAX_FRAMES));
		assert_int_not_equal(process_epoch.now.generation, before);
		assert_int_equal(kind_of("_PyEval_EvalFrameDefault"), PYTHON_NONE);
	}
	assert_false(python_is_there());
	/* no frames are asked for any more, and it is told all the same */
	assert_int_equal(t->file->header->python, SCP_PYTHON(minor, why));
	assert_false(read_frames(SCP_MAX_FRAMES));
	unload();
	python_kind_of((uint64_t)printf + 2);
}

static void test_refused(void **state)
{
	(void)state;
	load(LATEST + 1);
	refuse(LATEST + 1, SCP_PYTHON_VERSION);
	load(7);
	refuse(7, SCP_PYTHON_VERSION);
	load(13);
	made.runtime[2] = 1;
	refuse(13, SCP_PYTHON_FREE_THREADED);
	load(13);
	made.runtime[0]++;
	refuse(13, SCP_PYTHON_LAYOUT);
	load(13);
	made.runtime[23] = 1 << 20;
	refuse(13, SCP_PYTHON_LAYOUT);
	for (unsigned minor = OLDEST; minor <= LATEST; minor++) { /* as with Py_TRACE_REFS */
		load(minor);
		make_world(FRAMES);
		put(world.code + 8, (uint64_t)find("PyBytes_Type"));
		refuse(minor, SCP_PYTHON_LAYOUT);
		load(minor);
		make_world(FRAMES);
		put(world.code + made.layout->code_table, world.code);
		refuse(minor, SCP_PYTHON_LAYOUT);
	}
}

/* What is read with `value` in the place of a word. */
static void damage(unsigned word, uint64_t value, bool must_cut)
{
	const struct python_stack *s = &t->python;
	uint64_t at = world.word[word].at, before = *(uint64_t *)at;
	put(at, value);
	for (unsigned i = 0; i < PYTHON_ROWS; i++) /* nothing is known from before */
		t->python_rows.row[i].code = 0;
	read_frames(SCP_MAX_FRAMES);
	assert_true(s->frames <= PYTHON_FRAMES_MAX && s->runs <= PYTHON_FRAMES_MAX);
	assert_true(t->found.noted_count <= PYTHON_WORDS_MAX);
	for (unsigned i = 0; i < world.word[word].frames && i < s->frames; i++)
		assert_int_equal(s->frame[i], frame_of(i));
	if (must_cut)
		assert_true(s->cut);
	for (unsigned i = 0; i < s->runs; i++)
		assert_true(s->run[i].first + s->run[i].count <= s->frames);
	put(at, before);
	read_frames(SCP_MAX_FRAMES);
	is_whole();
}

static bool is_instruction(unsigned word)
{
	for (unsigned i = 0; i < FRAMES; i++)
		if (world.word[word].at == world.frame[i] + made.layout->frame_instruction)
			return true;
	return false;
}

static void test_garbage(void **state)
{
	(void)state;
	for (unsigned minor = OLDEST; minor <= LATEST; minor++) {
		load(minor);
		make_world(FRAMES);
		meet();
		for (unsigned w = 0; w < world.words; w++) {
			bool leads = !is_instruction(w);
			uint64_t at = world.word[w].at, was = *(uint64_t *)at;
			const uint64_t never[] = {
				8,
				(uint64_t)room + ROOM,	   /* unreadable */
				(uint64_t)room + ROOM - 8, /* in part */
				was + 4,		   /* unaligned */
				was + 5,
				~UINT64_C(0),
				~UINT64_C(7),
				UINT64_C(1) << 63,
				UINT64_C(0x5555555555555555),
			};
			for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
				damage(w, never[i], leads && (was || never[i] > 8));
			const uint64_t any[] = {0,
						at,
						world.state,
						world.code,
						world.frame[0],
						(uint64_t)room,
						(uint64_t)made.runtime};
			for (unsigned i = 0; i < sizeof any / sizeof *any; i++)
				damage(w, any[i], false);
			for (unsigned i = 0; i < world.words; i++)
				damage(w, world.word[i].at & ~UINT64_C(255), false);
		}
		unload();
	}
}

static void test_limits(void **state)
{
	const struct python_stack *s = &t->python;
	(void)state;
	for (unsigned minor = OLDEST; minor <= LATEST; minor++) {
		load(minor);
		make_world(FRAMES);
		meet();
		for (unsigned depth = 1; depth <= FRAMES; depth++) {
			assert_true(read_frames(depth));
			assert_int_equal(s->frames, depth);
			assert_int_equal(s->full, depth < FRAMES);
			assert_false(s->cut);
		}
		put(world.frame[FRAMES - 1] + made.layout->frame_previous, world.frame[1]);
		read_frames(SCP_MAX_FRAMES);
		assert_true(s->cut);
		known.serial++;
		make_world(300);
		read_frames(UINT32_MAX);
		assert_int_equal(s->frames, PYTHON_FRAMES_MAX);
		assert_true(s->full);
		assert_false(s->cut);
		words_are_as_noted();
		unload();
	}
}

static void *without_state(void *unused)
{
	assert_false(read_frames(SCP_MAX_FRAMES));
	words_are_as_noted();
	assert_false(t->python.cut);
	made.set_state((void *)world.state);
	read_frames(SCP_MAX_FRAMES);
	is_whole();
	return unused;
}

/* Another word than those of which a memo could say that they are as they were. */
static bool would_be_remembered(void)
{
	for (uint32_t i = 0; i < t->found.noted_count; i++)
		if (*(uint64_t *)t->found.noted[i].address != t->found.noted[i].value)
			return false;
	return true;
}

static void test_thread_state(void **state)
{
	pthread_t thread;
	pthread_key_t other[70];
	(void)state;
	for (unsigned keys = 0; keys < 3; keys++) { /* of the first block, and of two more */
		for (unsigned i = 0; keys && i < 35; i++)
			assert_int_equal(pthread_key_create(&other[35 * (keys - 1) + i], NULL), 0);
		load(12);
		make_world(FRAMES);
		meet();
		read_frames(SCP_MAX_FRAMES);
		is_whole();
		assert_true(would_be_remembered());
		assert_int_equal(pthread_create(&thread, NULL, without_state, NULL), 0);
		pthread_join(thread, NULL);
		made.finalize();
		assert_false(read_frames(SCP_MAX_FRAMES));
		pthread_key_create(&other[0],
				   NULL); /* it gets the key that was the interpreter's */
		made.initialize();
		assert_false(read_frames(SCP_MAX_FRAMES));
		made.set_state((void *)world.state);
		uint32_t before = process_epoch.now.generation;
		read_frames(SCP_MAX_FRAMES);
		is_whole();
		assert_int_not_equal(process_epoch.now.generation, before);
		read_frames(SCP_MAX_FRAMES);
		assert_true(would_be_remembered());
		unload();
	}
}

static void *with_state(void *unused)
{
	assert_false(read_frames(SCP_MAX_FRAMES));
	assert_false(t->python.cut);
	made.set_state((void *)world.state);
	for (unsigned again = 0; again < 2; again++) {
		read_frames(SCP_MAX_FRAMES);
		is_whole();
	}
	assert_true(would_be_remembered());
	return unused;
}

/* While the thread has the interpreter's lock another variable has the same value. */
static void test_state_variable(void **state)
{
	pthread_t thread;
	(void)state;
	load(15);
	make_world(FRAMES);
	made.attach((void *)world.state);
	meet();
	for (unsigned again = 0; again < 3; again++) {
		read_frames(SCP_MAX_FRAMES);
		is_whole();
		assert_false(would_be_remembered());
	}
	made.attach(NULL);
	read_frames(SCP_MAX_FRAMES);
	is_whole();
	made.attach((void *)world.state);
	read_frames(SCP_MAX_FRAMES);
	is_whole();
	assert_true(would_be_remembered());
	made.attach(NULL);
	assert_true(would_be_remembered());
	assert_int_equal(pthread_create(&thread, NULL, with_state, NULL), 0);
	pthread_join(thread, NULL);
	read_frames(SCP_MAX_FRAMES);
	made.set_state(NULL);
	assert_false(would_be_remembered());
	assert_false(read_frames(SCP_MAX_FRAMES));
	words_are_as_noted();
	unload();
}

static void test_finalizing(void **state)
{
	(void)state;
	for (unsigned minor = OLDEST; minor <= LATEST; minor++) {
		load(minor);
		make_world(FRAMES);
		meet();
		uint64_t *by = made.runtime + made.layout->finalizing / 8;
		*by = (uint64_t)made.runtime; /* another thread's state */
		assert_true(read_frames(SCP_MAX_FRAMES));
		assert_true(t->python.cut);
		assert_int_equal(t->python.frames, 0);
		assert_false(is_noted(world.state + made.layout->state_frame));
		*by = world.state;
		read_frames(SCP_MAX_FRAMES);
		is_whole();
		assert_int_equal(t->found.noted[0].address, (uint64_t)by);
		assert_false(would_be_remembered());
		*by = 0;
		read_frames(SCP_MAX_FRAMES);
		is_whole();
		assert_true(would_be_remembered());
		unload();
	}
}

/* A code object that died, and one that is not known. */
static void test_code(void **state)
{
	(void)state;
	load(11);
	make_world(FRAMES);
	meet();
	read_frames(SCP_MAX_FRAMES);
	assert_true(is_noted((uint64_t)&known.serial));
	known.serial++;
	assert_false(would_be_remembered());
	read_frames(SCP_MAX_FRAMES);
	is_whole();
	/* Frames that are being prepared are none of a traceback. */
	*(int32_t *)(world.code + made.layout->code_first_traceable) = 3;
	known.serial++;
	read_frames(SCP_MAX_FRAMES);
	assert_int_equal(t->python.frames, FRAMES - 3);
	assert_int_equal(t->python.frame[0], frame_of(3));
	python_put_back();
	assert_false(is_watched);
	read_frames(SCP_MAX_FRAMES);
	assert_true(is_watched);
	unload();
}

static int set_up(void **state)
{
	(void)state;
	t = made_thread(SCP_GRANULE, 1 << 16);
	process.file = t->file;
	process.generation = 1;
	room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(room != MAP_FAILED);
	return mprotect(room + ROOM, PAGE, PROT_NONE);
}

static int tear_down(void **state)
{
	(void)state;
	made_thread_free(t);
	return munmap(room, ROOM + PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_version), cmocka_unit_test(test_no_frame_for_long),
		cmocka_unit_test(test_embedded),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_garbage),	     cmocka_unit_test(test_limits),
		cmocka_unit_test(test_thread_state), cmocka_unit_test(test_finalizing),
		cmocka_unit_test(test_code),	     cmocka_unit_test(test_state_variable),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
