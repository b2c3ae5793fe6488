// SPDX-License-Identifier: Apache-2.0
/* Which activation of the interpreter's loop is which C frame: by an address within it, or, where
 * the interpreter keeps none, by counting from the innermost one. */
#include "preload/call/walk.h"
#include "preload/filter/filter.h"
#include "preload/second/second.h"

#define NO_RUN UINT32_MAX

void merge_begin(struct merge *m, struct scp_thread *t)
{
	*m = (struct merge){.t = t};
	t->c_frames.count = 0;
}

static void put(struct merge *m, uint64_t frame)
{
	struct walk_result *r = &m->t->found;
	if (r->frame_count < filter.depth)
		r->frame[r->frame_count++] = frame;
	m->kept++;
}

static void put_run(struct merge *m)
{
	const struct python_stack *p = &m->t->python;
	const struct python_run *run = &p->run[m->run++];
	for (uint32_t i = run->first; i < run->first + run->count && !merge_is_full(m); i++)
		put(m, p->frame[i]);
	if (m->run == p->runs && p->full && !merge_is_full(m))
		m->kept = filter.depth + 1;
}

static bool holds(const struct merge_frame *f, const struct python_run *run)
{
	if (f->end == UINT64_MAX && f->kind != PYTHON_LOOP)
		return false;
	return run->anchor && run->anchor >= f->sp && run->anchor < f->end;
}

/* Which run does this frame execute? A later one than is next where a loop was not found. */
static uint32_t find_run(const struct merge *m, const struct merge_frame *f)
{
	const struct python_stack *p = &m->t->python;
	if (m->run >= p->runs)
		return NO_RUN;
	if (!p->run[m->run].anchor)
		return f->kind == PYTHON_LOOP ? m->run : NO_RUN;
	if (holds(f, &p->run[m->run]))
		return m->run;
	for (uint32_t i = m->run + 1; f->kind == PYTHON_LOOP && i < p->runs; i++)
		if (holds(f, &p->run[i]))
			return i;
	return NO_RUN;
}

/* A signal came in it: it stays, as a path tells a handler's calls by such a frame. */
static bool is_interrupted(const struct merge_frame *f)
{
	return SCP_FRAME_EXACT(f->frame) != 0;
}

/* Of a frame that executes no Python function. */
static bool is_left_out(const struct merge *m, const struct merge_frame *f, bool first)
{
	const struct python_stack *p = &m->t->python;
	bool is_lost = m->keeps_own || (p->cut && m->run == p->runs);
	return f->kind == PYTHON_OWN && p->runs && !first && !is_lost && !filter.native &&
	       !is_interrupted(f);
}

static void add_other(struct merge *m, const struct merge_frame *f, bool first)
{
	if (f->kind == PYTHON_LOOP) {
		m->t->found.flags |= SCP_PATH_PYTHON_CUT;
		m->keeps_own = true;
	}
	if (!is_left_out(m, f, first))
		put(m, f->frame);
}

static void add_loop(struct merge *m, const struct merge_frame *f, uint32_t run)
{
	const struct python_stack *p = &m->t->python;
	if (run != m->run)
		m->t->found.flags |= SCP_PATH_PYTHON_CUT;
	while (m->run < run)
		put_run(m);
	if ((filter.native || is_interrupted(f)) && !merge_is_full(m))
		put(m, f->frame);
	put_run(m);
	while (f->end != UINT64_MAX && m->run < p->runs && holds(f, &p->run[m->run]))
		put_run(m);
	m->keeps_own = false;
}

/* All that libunwind is to find again. */
static COLD void keep_c_frame(struct scp_thread *t, uint64_t frame)
{
	if (t->c_frames.count < sizeof t->c_frames.frame / sizeof t->c_frames.frame[0])
		t->c_frames.frame[t->c_frames.count++] = frame;
}

void merge_add(struct merge *m, const struct merge_frame *f)
{
	bool first = !m->has_first;
	m->has_first = true;
	if (unlikely(second.one_in))
		keep_c_frame(m->t, f->frame);
	if (merge_is_full(m))
		return;
	uint32_t run = find_run(m, f);
	if (run == NO_RUN)
		add_other(m, f, first);
	else
		add_loop(m, f, run);
}

void merge_end(struct merge *m)
{
	const struct python_stack *p = &m->t->python;
	struct walk_result *r = &m->t->found;
	if (!merge_is_full(m)) {
		if (m->run < p->runs || p->cut)
			r->flags |= SCP_PATH_PYTHON_CUT;
		while (m->run < p->runs && !merge_is_full(m))
			put_run(m);
	}
	if (merge_is_full(m))
		r->flags |= filter.full_flag;
}
