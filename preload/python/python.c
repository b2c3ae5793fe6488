// SPDX-License-Identifier: Apache-2.0
/* What the calling thread's Python stack is; and, before the first one is read, whether memory is
 * laid out as the interpreter's version says. */
#include <pthread.h>

#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/python/python_private.h"

#define TRIES 64u /* so many states may be another thread's before the layout is not believed */
/* So many walks take a page as readable without asking again: memory that the interpreter gave back
 * since is where no live object is, but garbage may lead. */
#define READS_A_PAGE 4096u

static uint32_t tries;

/* Is the object of this type? It may have moved into a program that refers to it (copy relocation):
 * then its name tells. */
static bool is_of_type(struct scp_thread *t, const struct python_layout *l, uint64_t object,
		       uint64_t *type, const char *name)
{
	uint64_t found, at;
	if (!python_can_follow(t, object, l->object_type + 8u))
		return false;
	found = *(const uint64_t *)(object + l->object_type);
	if (found == *type)
		return true;
	if (!python_can_follow(t, found, l->type_dealloc + 8u))
		return false;
	at = *(const uint64_t *)(found + l->type_name);
	if (!python_can_read(t, at, 16) || !text_equal((const char *)at, name))
		return false;
	*type = found;
	return true;
}

static bool fits(struct scp_thread *t, struct python_layout *l, uint64_t frame)
{
	uint64_t code = *(const uint64_t *)(frame + l->frame_code) & ~(uint64_t)l->code_tags;
	if (l->minor <= 10 && !is_of_type(t, l, frame, &l->frame_type, "frame"))
		return false;
	if (!is_of_type(t, l, code, &l->code_type, "code") || !python_object_is_code(t, l, code))
		return false;
	return is_of_type(t, l, *(const uint64_t *)(code + l->code_name), &l->text_type, "str") &&
	       is_of_type(t, l, *(const uint64_t *)(code + l->code_filename), &l->text_type,
			  "str") &&
	       is_of_type(t, l, *(const uint64_t *)(code + l->code_table), &l->bytes_type, "bytes");
}

/* By this thread's state and its innermost frame. False: there is none yet, or it does not fit. */
static COLD bool check(struct scp_thread *t, struct python_interpreter *p, uint64_t state)
{
	struct python_layout *l = &p->layout;
	uint64_t frame = python_frames_innermost(t, l, state);
	if (frame && *(const uint64_t *)(state + l->state_thread) == (uint64_t)pthread_self()) {
		if (fits(t, l, frame))
			p->is_checked = true;
		else
			python_find_refuse(SCP_PYTHON_LAYOUT);
		return p->is_checked;
	}
	/* No frame; or none that can be read, or a state that another thread made. */
	bool is_none =
		!frame && (l->has_base_frame || !t->found.noted[t->found.noted_count - 1].value);
	if (!is_none)
		python_state_note_change(t);
	if (!is_none && __atomic_add_fetch(&tries, 1, __ATOMIC_RELAXED) > TRIES)
		python_find_refuse(SCP_PYTHON_LAYOUT);
	return false;
}

/* Where it is to be tried again there may be frames, which are missing. */
static bool watch(struct scp_thread *t, const struct python_interpreter *p)
{
	enum python_watch w = python_code_watch(t, &p->layout);
	if (likely(w == PYTHON_WATCH_SEEN))
		return true;
	if (w == PYTHON_WATCH_NEVER)
		python_find_refuse(SCP_PYTHON_UNWATCHED);
	python_state_note_change(t);
	t->python.cut = true;
	return false;
}

/* A new thread's are empty, and their memory has not been touched. */
static void forget_rows(struct scp_thread *t)
{
	struct python_rows *rows = &t->python_rows;
	for (uint32_t i = 0; rows->generation && i < PYTHON_ROWS; i++)
		rows->row[i].code = 0;
	if (rows->generation)
		python_forget_pages(t);
	compiler_barrier();
	rows->generation = t->generation;
}

bool python_read(struct scp_thread *t, uint32_t depth)
{
	struct python_stack *s = &t->python;
	struct python_interpreter *p = python_find_interpreter();
	s->frames = s->runs = 0;
	s->cut = s->full = false;
	python_find_tell();
	if (!p)
		return false;
	if (t->python_rows.generation != t->generation)
		forget_rows(t);
	if (unlikely(++t->python_rows.reads % READS_A_PAGE == 0))
		python_forget_pages(t);
	uint64_t state = python_state_find(t, p);
	if (state && (likely(p->is_checked) || check(t, p, state)) && likely(watch(t, p)))
		python_frames_read(t, p, state, depth);
	return s->runs || s->cut;
}

void python_forget(void)
{
	python_find_forget();
	python_code_forget();
}
