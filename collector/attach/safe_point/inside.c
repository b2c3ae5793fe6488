// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/safe_point_private.h"

#define MOST_HELPERS   4u /* functions of libc without names in which waits end */
#define MOST_BEGINNING 3u /* frames in which threads begin */

/* Said where no other frame tells more. */
static const char nameless[] = "inside a function of libc that has no exported name";

static enum safe_point_meaning meaning(const struct safe_point_frame *f)
{
	return f->symbol != NULL ? f->symbol->meaning : SAFE_POINT_NOTHING;
}

static bool begins(const struct safe_point_frame *f)
{
	return frames_libc(f->object) && meaning(f) == SAFE_POINT_OUTERMOST;
}

/* How many innermost frames are in functions of libc without names that a waiting function of it
 * called, or jumped to, to wait; *m: of that function. */
static size_t helpers(const struct safe_point_stack *k, enum safe_point_meaning *m)
{
	size_t n = 0;
	*m = SAFE_POINT_NOTHING;
	while (n < k->count && n < MOST_HELPERS && frames_libc(k->frame[n].object) &&
	       k->frame[n].symbol == NULL)
		n++;
	if (n == k->count || !k->innermost.system_call)
		return 0;
	if (frames_libc(k->frame[n].object))
		*m = meaning(&k->frame[n]);
	else if (n > 0 && k->entered != NULL)
		*m = k->entered->meaning;
	return *m == SAFE_POINT_WAITS || *m == SAFE_POINT_BLOCKS ? n : 0;
}

bool inside_wait(const struct safe_point_stack *k)
{
	enum safe_point_meaning m;
	helpers(k, &m);
	return m == SAFE_POINT_WAITS;
}

/* The frames in which threads begin, which have no exported names or those of __libc_start_main
 * and clone: the index of the innermost one; the number of all frames where there are none. The
 * function that the thread began with is not libc's: there it would be ending. */
static size_t beginning(const struct safe_point_stack *k)
{
	size_t n = k->count, i = n;
	if (k->end != SAFE_POINT_WHOLE)
		return n;
	/* _start is the program's. */
	if (n > 1 && !frames_libc(k->frame[n - 1].object) && begins(&k->frame[n - 2]))
		i--;
	while (i > 0 && frames_libc(k->frame[i - 1].object) &&
	       (k->frame[i - 1].symbol == NULL || begins(&k->frame[i - 1])) &&
	       n - i < MOST_BEGINNING)
		i--;
	return i > 0 && !frames_libc(k->frame[i - 1].object) ? i : n;
}

/* makecontext's and clone's functions have one such frame below them, threads have two. */
bool inside_thread_stack(const struct safe_point_stack *k)
{
	return beginning(k) + 2 <= k->count;
}

static const char *named(const struct safe_point_stack *k, size_t i, size_t helping,
			 size_t beginning_at)
{
	const struct safe_point_frame *f = &k->frame[i];
	if (f->symbol == NULL)
		return i < helping || i >= beginning_at ? NULL : nameless;
	switch (f->symbol->meaning) {
	case SAFE_POINT_HOLDS:
		return "inside a function of libc that may hold a lock";
	case SAFE_POINT_ALLOCATES:
		return "inside the allocator";
	case SAFE_POINT_OUTERMOST:
		return i >= beginning_at ? NULL : "beginning or ending";
	default:
		return NULL;
	}
}

/* Why a frame forbids it; NULL: it does not. */
static const char *inside(const struct safe_point_stack *k, size_t i, size_t helping,
			  size_t beginning_at)
{
	const struct safe_point_object *o = k->frame[i].object;
	bool called = !k->frame[i].stopped && inside_wait(k);
	if (o == NULL)
		return NULL;
	switch (o->kind) {
	case SAFE_POINT_LOADER:
	case SAFE_POINT_DL:
		return "inside the dynamic loader";
	case SAFE_POINT_OURS:
		/* A wrapper holds nothing while the function that it wraps waits. The library calls
		 * none of these for itself (scripts/undefined.allow). */
		return called ? NULL : "inside scprof's library";
	case SAFE_POINT_LIBC:
	case SAFE_POINT_PTHREAD:
		return named(k, i, helping, beginning_at);
	case SAFE_POINT_PLAIN:
		return o->allocator ? "inside the allocator" : NULL;
	default:
		return NULL;
	}
}

const char *inside_what(const struct safe_point_stack *k)
{
	enum safe_point_meaning m;
	size_t helping = helpers(k, &m), beginning_at = beginning(k);
	const char *why = NULL, *telling = NULL;
	for (size_t i = 0; telling == NULL && i < k->count; i++) {
		const char *what = inside(k, i, helping, beginning_at);
		why = what != NULL ? what : why;
		telling = what != nameless ? what : NULL;
	}
	return telling != NULL ? telling : why;
}
