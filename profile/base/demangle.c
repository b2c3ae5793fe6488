// SPDX-License-Identifier: GPL-3.0-or-later
/* libiberty knows every mangling there is. This file picks names for it. A mangled name may refer
 * to parts of itself, so that what it stands for is exponentially longer: 97 bytes become a
 * megabyte, 400 more than any memory. Names come from other people's files; such a name stays as it
 * is. libiberty hands names over piece by piece, and a jump leaves it when one is too long. */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "profile/base/demangle.h"

#define LONGEST_NAME	 2048
#define DEMANGLE_LONGEST 16384 /* bytes of a demangled name */

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

/* A name of Rust (both manglings) or Itanium C++; NULL: it is none,would be too long, or out of
 * memory. */
static char *demangle_cplus(const char *name, int options)
{
	struct output o;

	o.length = 0;
	if (setjmp(o.too_long))
		return NULL;
	int known = rust_demangle_callback(name, options, take_piece, &o);
	if (!known) {
		o.length = 0;
		known = cplus_demangle_v3_callback(name, options, take_piece, &o);
	}
	return known && o.length ? strndup(o.text, o.length) : NULL;
}

/* A Rust v0 or Itanium name; anything else may only look mangled in one of the
 * old styles that libiberty would guess. */
static int is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "___Z", 4);
}

static char *demangle(const char *name, int options)
{
	int wanted = strlen(name) <= LONGEST_NAME && is_mangled(name);
	char *plain = wanted ? demangle_cplus(name, DMGL_ANSI | options) : NULL;

	return plain ?: strdup(name);
}

char *demangle_full(const char *name)
{
	return demangle(name, DMGL_PARAMS);
}

char *demangle_brief(const char *name)
{
	return demangle(name, 0);
}
