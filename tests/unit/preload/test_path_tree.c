// SPDX-License-Identifier: GPL-3.0-or-later
/* Paths as a tree: each has one number, and one record, of which a reader gets its frames; records
 * share what they can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"
#include "tests/unit/preload/made_thread.h"

#define CHUNK (UINT64_C(16) << 20)
#define PATHS 3000u

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % n;
}

struct made_path {
	uint64_t frame[24];
	uint32_t frames, flags, function;
	struct scp_site *site;
};

static struct made_path made[PATHS];

static struct scp_site *find(struct scp_thread *t, const struct made_path *p)
{
	return path_tree_site(t, path_tree_find(t, p->frame, p->frames, p->flags), p->function);
}

/* Few different frames, so that many paths have outer ones in common. */
static void make_path(struct made_path *p)
{
	p->frames = 1 + below(24);
	p->flags = below(8) ? 0 : SCP_PATH_CUT;
	p->function = below(3);
	for (uint32_t i = 0; i < p->frames; i++)
		p->frame[i] = SCP_FRAME(1 + below(2), 0, 0x1000 + below(2));
}

static bool same_path(const struct made_path *a, const struct made_path *b)
{
	return a->frames == b->frames && a->flags == b->flags &&
	       !memcmp(a->frame, b->frame, 8 * a->frames);
}

static void assert_written(const struct scp_thread *t, const struct made_path *p)
{
	uint64_t frame[SCP_MAX_FRAMES];
	uint32_t frames = made_thread_frames(t, p->site->path, frame);

	assert_int_equal(frames, p->frames);
	assert_memory_equal(frame, p->frame, 8 * frames);
	assert_int_equal(made_thread_path(t, p->site->path)->flags, p->flags);
	assert_int_equal(p->site->function, p->function);
}

static void test_many(void **state)
{
	struct scp_thread *t = made_thread(CHUNK, 1 << 15);
	uint64_t own = 0;

	(void)state;
	for (uint32_t i = 0; i < PATHS; i++) {
		make_path(&made[i]);
		made[i].site = find(t, &made[i]);
		assert_non_null(made[i].site);
	}
	assert_true(t->path_slots >= 32 * 256);
	for (uint32_t i = 0; i < PATHS; i++) {
		assert_ptr_equal(find(t, &made[i]), made[i].site);
		assert_written(t, &made[i]);
	}
	for (uint32_t i = 0; i < PATHS; i++) {
		const struct made_path *a = &made[i], *b = &made[below(i + 1)];
		assert_int_equal(same_path(a, b), a->site->path == b->site->path);
		assert_int_equal(same_path(a, b) && a->function == b->function, a->site == b->site);
	}
	for (uint32_t id = 1; id <= t->paths; id++)
		own += made_thread_path(t, id)->frames - made_thread_path(t, id)->shared;
	assert_int_equal(own, t->path_nodes.count); /* each once */
	made_thread_free(t);
}

static void test_outer_part(void **state)
{
	struct scp_thread *t = made_thread(CHUNK, 1 << 15);
	struct made_path deep = {{5, 4, 3, 2, 1}, 5, 0, 7, NULL},
			 outer = {{3, 2, 1}, 3, 0, 7, NULL};

	(void)state;
	deep.site = find(t, &deep);
	outer.site = find(t, &outer);
	assert_written(t, &deep);
	assert_written(t, &outer);
	assert_int_equal(made_thread_path(t, outer.site->path)->shared, 3);
	made_thread_free(t);
}

static void test_no_frames(void **state)
{
	struct scp_thread *t = made_thread(CHUNK, 1 << 15);

	(void)state;
	assert_int_equal(path_tree_find(t, NULL, 0, 0).node, 0);
	assert_null(path_tree_site(t, (struct path_place){0, 0}, 1));
	made_thread_free(t);
}

static void test_no_room_in_file(void **state)
{
	struct scp_thread *t = made_thread(CHUNK, 1 << 15);
	uint32_t last = 0, found = 0;

	(void)state;
	t->chunk.bytes = 4096;
	for (uint32_t i = 0; i < 200; i++) {
		make_path(&made[i]);
		made[i].site = find(t, &made[i]);
		if (!made[i].site)
			last = i;
		else
			found++;
	}
	assert_true(found > 0);
	assert_true(last > 0);
	t->chunk.bytes = CHUNK;
	for (uint32_t i = 0; i < 200; i++) {
		struct scp_site *s = find(t, &made[i]);
		assert_non_null(s);
		assert_true(!made[i].site || made[i].site == s);
		made[i].site = s;
		assert_written(t, &made[i]);
	}
	made_thread_free(t);
}

static void test_no_room_in_index(void **state)
{
	struct scp_thread *t = made_thread(CHUNK, 1 << 16);
	uint32_t lost = 0, found = 0;

	(void)state;
	t->index.limit = 1 << 18;
	for (uint32_t i = 0; i < PATHS; i++) {
		make_path(&made[i]);
		made[i].site = find(t, &made[i]);
		lost += !made[i].site;
		found += made[i].site != NULL;
	}
	assert_true(lost > 0);
	assert_true(found > 100);
	t->index.limit = 1 << 28;
	for (uint32_t i = 0; i < PATHS; i++) {
		struct scp_site *s = find(t, &made[i]);
		assert_non_null(s);
		assert_true(!made[i].site || made[i].site == s);
	}
	made_thread_free(t);
}

#ifdef __x86_64__
struct finding {
	struct scp_thread *t;
	struct made_path *path;
	struct path_place place;
};

static void find_place(void *context)
{
	struct finding *f = context;

	f->place = path_tree_find(f->t, f->path->frame, f->path->frames, f->path->flags);
}

static void find_site(void *context)
{
	struct finding *f = context;

	f->path->site = path_tree_site(f->t, f->place, f->path->function);
}

/* Of two paths, the first is left on the way, in `f`, before the second is found. */
static uint32_t leave(struct scp_thread *t, void (*f)(void *), uint32_t n)
{
	bool gone = true;

	for (long steps = 1; gone && n + 1 < PATHS; steps += left_stride()) {
		struct made_path *a = &made[n++], *b = &made[n++];
		*a = (struct made_path){{n, 0x77, n / 64, 1}, 4, 0, 0, NULL};
		*b = (struct made_path){{n, 0x78, n / 64, 1}, 4, 0, 0, NULL};
		struct finding finding = {t, a, {0, 0}};
		if (f == find_site)
			find_place(&finding);
		gone = left_after(steps, f, &finding);
		b->site = find(t, b);
		a->site = find(t, a);
	}
	assert_false(gone);
	return n;
}

static void test_left_anywhere(void **state)
{
	struct scp_thread *t = made_thread(CHUNK, 1 << 24);
	struct made_path first = {{1}, 1, 0, 0, NULL};
	uint32_t n;

	(void)state;
	find(t, &first); /* the system calls of the first block */
	sys_sandboxed = 1;
	n = leave(t, find_site, leave(t, find_place, 0));
	sys_sandboxed = 0;
	assert_true(n > 400 / left_stride());
	for (uint32_t i = 0; i < n; i++) {
		assert_written(t, &made[i]);
		assert_ptr_equal(find(t, &made[i]), made[i].site);
	}
	made_thread_free(t);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_outer_part),
		cmocka_unit_test(test_no_frames),
		cmocka_unit_test(test_no_room_in_file),
		cmocka_unit_test(test_no_room_in_index),
#ifdef __x86_64__
		cmocka_unit_test(test_left_anywhere),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
