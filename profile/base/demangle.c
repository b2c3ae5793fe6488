// SPDX-License-Identifier: GPL-3.0-or-later
/* libiberty knows every mangling there is. This file picks names for it. A mangled name may refer
 * to parts of itself, so that what it stands for is exponentially longer: 97 bytes become a
 * megabyte, 400 more than any memory. Names come from other people's files; such a name stays as it
 * is.
 *
 * libiberty hands over Rust and C++ names piece by piece, and a jump leaves it when one is too
 * long. A D name it collects in a string that it enlarges by xrealloc(), which a program may
 * replace: ours jumps, too, and does not exit the process when out of memory. */
#include <ctype.h>
#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/demangle.h"

#define LONGEST_NAME	 2048
#define DEMANGLE_LONGEST 16384 /* bytes of a demangled name */

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

/* A name of Rust (both manglings) or Itanium C++; NULL: it is none, would be too long, or out of
 * memory. */
static char *demangle_cplus(const char *name, int options)
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

/* The same of D. */
static char *demangle_dlang(const char *name, int options)
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

/* A Rust v0 or Itanium name; anything else may only look mangled in one of the
 * old styles that libiberty would guess. */
static int is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "___Z", 4);
}

/* D has a scheme of its own; "_DYNAMIC" is no name of it. */
static bool is_d(const char *name)
{
	return !strcmp(name, "_Dmain") ||
	       (!strncmp(name, "_D", 2) && isdigit((unsigned char)name[2]));
}

/* "mod.T!(int).f(char)" up to its last list of parameters; libiberty writes them always. */
static char *cut_parameters(char *plain)
{
	char *end = plain ? strrchr(plain, ')') : NULL;
	int depth = 0;

	for (char *at = end; at && at >= plain; at--) {
		depth += (*at == ')') - (*at == '(');
		if (depth)
			continue;
		if (at > plain && at[-1] != '!' && at[-1] != ' ')
			*at = '\0';
		break;
	}
	return plain;
}

static char *demangle_d(const char *name, int options)
{
	char *plain = demangle_dlang(name, DMGL_ANSI);

	return options & DMGL_PARAMS ? plain : cut_parameters(plain);
}

static char *demangle(const char *name, int options)
{
	char *plain = NULL;

	if (strlen(name) > LONGEST_NAME)
		return strdup(name);
	if (is_d(name))
		plain = demangle_d(name, options);
	else if (is_mangled(name))
		plain = demangle_cplus(name, DMGL_ANSI | options);
	return plain ? plain : strdup(name);
}

char *demangle_full(const char *name)
{
	return demangle(name, DMGL_PARAMS);
}

char *demangle_brief(const char *name)
{
	return demangle(name, 0);
}
