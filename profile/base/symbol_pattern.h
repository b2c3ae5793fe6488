// SPDX-License-Identifier: GPL-3.0-or-later
/* Which functions? [!][LIBRARY:]NAME, separated by commas; names and libraries may be
 * globs; names of C++ functions are compared demangled too, with their parameters and
 * without. The last pattern that matches decides; "!" takes out again. @FILE stands for
 * the patterns in its lines; # begins a comment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

struct symbol_pattern {
	char *text;    /* as written, without "!" */
	char *library; /* NULL: any that the program needs */
	char *name;
	bool takes_out;
	bool is_exact;	  /* the name is no glob */
	bool is_optional; /* of a ready-made group: it may match nothing */
	size_t matches;
};

struct symbol_patterns {
	struct symbol_pattern *list;
	size_t count;
	bool demangled; /* some can only mean a demangled name */
};

/* 0, or -1 with *err. Free either way. `optional`: patterns of ready-made groups, which come
 * first, so that `text` can take out of them. Either may be NULL. */
int symbol_pattern_parse(const char *optional, const char *text, struct symbol_patterns *out,
			 struct profile_error *err);
void symbol_pattern_free(struct symbol_patterns *p);

/* Does it match this function's library, by the path and the soname of its file? */
bool symbol_pattern_has_library(const struct symbol_pattern *p, const char *path,
				const char *soname);

/* `full`, `brief`: demangled, with and without parameters, or NULL. */
bool symbol_pattern_has_name(const struct symbol_pattern *p, const char *name, const char *full,
			     const char *brief);

/* The patterns of the ready-made group whose name is the first `length` bytes of `name`: what most
 * users would write for a library. NULL: there is none. */
const char *symbol_pattern_group(const char *name, size_t length);
extern const char symbol_pattern_groups[]; /* for messages: "ssl, alloc, ..." */
