// SPDX-License-Identifier: GPL-3.0-or-later
/* What one thread does, in words: by its state, its system call, and functions of libc that name
 * what is waited for. */
#include <string.h>
#include <sys/syscall.h>

#include "cli/attach/dump_text.h"

#define NEAR 8u /* frames in which a name tells what is waited for */

const char *dump_text_state(const struct dump_thread *t)
{
	static const char letters[] = "DTtZX";
	static const char *const names[] = {"asleep, uninterruptible", "stopped", "traced", "ended",
					    "ended"};
	const char *letter = t->state ? strchr(letters, t->state) : NULL;

	if (t->state == 'R')
		return t->waits_for_cpu ? "runnable" : "on CPU";
	return letter ? names[letter - letters] : "asleep";
}

/* Does the chain of those who hold what the one before waits for lead back? */
static bool is_deadlocked(const struct dump *d, const struct dump_thread *t)
{
	const struct dump_thread *next = t;

	for (size_t i = 0; i < d->threads && next && !next->joins; i++) {
		next = next->owner;
		if (next == t)
			return true;
	}
	return false;
}

/* libc's functions tell what a futex is for. CPython takes its locks by semaphores, and the lock of
 * the interpreter by a condition variable. NULL: this one does not tell. */
static const char *const *find_word(const struct dump_text *x, const struct prof_frame *frame)
{
	static const char *const words[][3] = {
		{"sem_", "a semaphore", "a lock"},
		{"cond_", "a condition variable", "the interpreter's lock"},
		{"mutex", "a lock", "a lock"},
		{"lll_lock", "a lock", "a lock"},
		{"rwlock", "a lock", "a lock"},
		{"barrier", "a barrier", "a barrier"}};
	size_t count;
	const struct symbol *s = symbolize_frame(x->symbols, frame, &count);

	for (; count > 0; count--, s++) /* what is inlined, too */
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			if (s->linker_name && strstr(s->linker_name, words[k][0]))
				return words[k];
	return NULL;
}

static const char *futex_word(const struct dump_text *x, const struct dump_thread *t)
{
	const char *const *found = NULL;
	int python = 0;

	if (t->frames && t->entered.module != PROF_NO_MODULE)
		found = find_word(x, &t->entered);
	for (uint32_t i = 0; i < t->frames && i < NEAR && !python; i++) {
		python = t->frame[i].module == PROF_SOURCE;
		if (!found && !python)
			found = find_word(x, &t->frame[i]);
	}
	return found ? found[1 + python] : "a futex";
}

static void tell_futex(const struct dump_text *x, const struct dump_thread *t, FILE *out)
{
	const struct dump_thread *owner = t->owner;

	if (owner && t->joins)
		fprintf(out, "waits for the end of thread %d (%s)", (int)owner->tid, owner->name);
	else if (owner)
		fprintf(out, "waits for a lock that thread %d (%s) holds%s", (int)owner->tid,
			owner->name, is_deadlocked(x->dump, t) ? ": a deadlock" : "");
	else
		fprintf(out, "waits for %s", futex_word(x, t));
}

void dump_text_tell(const struct dump_text *x, const struct dump_thread *t, FILE *out)
{
	const char *call = dump_call_name(t->call), *state = dump_text_state(t);

	if (t->state == 'R')
		fputs(t->waits_for_cpu ? "waits for a CPU" : "runs", out);
	else if (strncmp(state, "asleep", 6) != 0)
		fprintf(out, "stays %s", state);
	else if (t->futex)
		tell_futex(x, t, out);
	else if (t->call == SYS_clock_nanosleep || t->call == SYS_nanosleep)
		fputs("sleeps", out);
	else if (t->call == SYS_wait4 || t->call == SYS_waitid)
		fputs("waits for a child", out);
	else
		fprintf(out, "waits in %s%s%s", call ? call : "the kernel",
			t->fd.number >= 0 ? " on " : "", t->fd.number >= 0 ? t->fd.what : "");
}
