// SPDX-License-Identifier: GPL-3.0-or-later
/* The functions that patterns select for a program, found before it starts. */
#pragma once

#include <stdint.h>

#include "profile/base/symbol_pattern.h"
#include "collector/select/library_closure.h"

/* A library that is opened later may be there more than once: so many originals of one name
 * can have a stub through dlsym. */
#define SELECTION_SPARES 4

struct selected_symbol {
	const char *name, *version; /* version NULL: none */
	bool is_default;
	bool is_later;	  /* in a library that the program may open, but does not need */
	uint32_t hash;	  /* of the name, as in DT_GNU_HASH */
	uint64_t address; /* see struct export */
	char *shown;	  /* demangled; owned */
	const struct exports *library;
};

/* Strings point into `library`. */
struct selection {
	struct names needed;
	struct exports program, own;
	struct exports *library; /* those that the program needs come first */
	size_t libraries;
	struct selected_symbol *symbol;
	size_t count;
	size_t records;		       /* with those for dlsym, see SELECTION_SPARES */
	size_t left_out;	       /* by globs, because they cannot be selected */
	const char *left_out_names[4]; /* some of them */
	const struct symbol_pattern
		*unmatched; /* where selection_resolve fails for it; else NULL */
};

/* Look at the program and what it needs. `own_library`: path of libscprof.so for its processor.
 * `root`: NULL, or the folder with the libraries of a program that cannot run here. 0, or -1 with
 * *err. selection_close frees either way. */
int selection_open(struct selection *c, const char *program, const char *own_library,
		   const char *root, struct profile_error *err);

/* The same for a process that runs: `needed` is what it has mapped, and was found before. It is
 * taken over. `program` may be a path in /proc. */
int selection_open_mapped(struct selection *c, const char *program, const char *own_library,
			  struct names *needed, struct profile_error *err);
void selection_close(struct selection *c);

/* Fill `symbol`. Libraries that the program does not need, but a pattern names, are looked
 * for where the loader would look. -1 with *err: a pattern matches nothing, or a name cannot be
 * selected. With ready-made groups alone `symbol` may stay empty. */
int selection_resolve(struct selection *c, struct symbol_patterns *patterns,
		      struct profile_error *err);

/* Why this function cannot be selected, or NULL. Static text. */
const char *selection_reason(const struct selection *c, const struct export *e);

/* A name as the source has it; NULL when out of memory. */
char *selection_demangle(const char *name, bool parameters);
