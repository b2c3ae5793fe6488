// SPDX-License-Identifier: Apache-2.0
/* The calling thread's PyThreadState, and the words by which it is found.
 *
 * An interpreter that finalizes frees the states of other threads, which still run: they have no
 * frames from then on. Its word in _PyRuntime is noted first, so no word of a state is compared
 * unless it is as it was; it is set before anything is freed. What the finalizing thread itself
 * finds is never remembered, since its state will be freed, too. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_STATE_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_STATE_H

#include "preload/python/python_find.h"
#include "preload/table/thread.h"

/* 0: it has none. t->python.cut is set where there may be frames that must not be read. */
HIDDEN uint64_t python_state_find(struct scp_thread *t, const struct python_interpreter *p);

/* Note a word, which can be read; its value. False: there is no room for more. */
static inline bool python_state_note(struct scp_thread *t, uint64_t address, uint64_t *value)
{
	struct walk_result *r = &t->found;
	if (unlikely(r->noted_count >= PYTHON_WORDS_MAX))
		return false;
	*value = *(volatile uint64_t *)address;
	r->noted[r->noted_count++] = (struct noted_word){address, *value};
	return true;
}

/* What was found must not be remembered: note a word that will be another. */
HIDDEN void python_state_note_change(struct scp_thread *t);

#endif
