// SPDX-License-Identifier: GPL-3.0-or-later
/* libiberty hands over Rust and C++ names piece by piece, and a jump leaves it when one is too
 * long. A D name it collects in a string that it enlarges by xrealloc(), which a program may
 * replace: ours jumps, too, and does not exit the process when out of memory. */
#include "profile/base/demangle_budget.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>

/* A jump leaks small strings of D's demangler. After so many jumps D names stay as they are. */
#define LOST_AT_MOST 64

struct output {
	char text[DEMANGLE_LONGEST];
	size_t length;
	jmp_buf too_long;
};

static void take_piece(const char *piece, size_t length, void *opaque)
{
	struct output *o = opaque;

	if (length >= sizeof(o->text) - o->length)
		longjmp(o->too_long, 1);
	memcpy(o->text + o->length, piece, length);
	o->length += length;
}

char *demangle_budget_cplus(const char *name, int options)
{
	struct output o;
	int known;

	o.length = 0;
	if (setjmp(o.too_long))
		return NULL;
	known = rust_demangle_callback(name, options, take_piece, &o);
	if (!known) {
		o.length = 0;
		known = cplus_demangle_v3_callback(name, options, take_piece, &o);
	}
	return known && o.length ? strndup(o.text, o.length) : NULL;
}

static _Thread_local jmp_buf *leave_d;
static int lost;

/* Only dlang_demangle() comes here, so leave_d is set. */
void *xrealloc(void *old, size_t size)
{
	void *memory = size > DEMANGLE_LONGEST ? NULL : realloc(old, size ? size : 1);

	if (!memory) {
		free(old);
		longjmp(*leave_d, 1);
	}
	return memory;
}

void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

char *demangle_budget_d(const char *name, int options)
{
	jmp_buf here;
	char *plain;

	if (__atomic_load_n(&lost, __ATOMIC_RELAXED) >= LOST_AT_MOST)
		return NULL;
	if (setjmp(here)) {
		leave_d = NULL;
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	leave_d = &here;
	plain = dlang_demangle(name, options);
	leave_d = NULL;
	return plain;
}
