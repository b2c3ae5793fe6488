// SPDX-License-Identifier: GPL-3.0-or-later
/* Generated code: where it lay, and what its makers call it. Private to report/symbols/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "report/containers/string_index.h"
#include "report/symbols/symbolize.h"
#include "report/symbols/symbolize_private.h"

/* Which code lay where in a process's memory. Code may be discarded and its addresses used again,
 * so pieces of code may overlap: the addresses are divided where any piece begins or ends, and each
 * part belongs to one piece. */

struct code_piece {
	uint64_t start, end; /* the end is not in it */
	const char *name;    /* borrowed */
};

struct code_map {
	struct code_piece *piece; /* in the order in which they came */
	uint32_t pieces, room;
	uint64_t *bound; /* where a part begins, ascending */
	uint32_t *owner; /* by part */
	uint32_t bounds;
	bool failed; /* out of memory, or beyond the limit of `files` */
};

/* Sorts addresses, and keeps each once: how many are left. */
uint32_t code_map_sort(uint64_t *address, uint32_t count);

struct code_answer {
	const struct code_piece *piece; /* NULL: not known */
	bool ambiguous;			/* pieces of different names lay there, one after another */
};

/* A piece of no bytes is passed over, and one that wraps is cut. What it takes is spent from
 * `files`. */
void code_map_add(struct code_map *m, struct symbolize_files *files,
		  const struct code_piece *piece);

/* To be called once, when all were added. `latest`: where pieces overlap, the one that came last
 * counts; else they must have one name. */
void code_map_divide(struct code_map *m, struct symbolize_files *files, bool latest);

struct code_answer code_map_find(const struct code_map *m, uint64_t address);

void code_map_clear(struct code_map *m);

/* jit-PID.dump, the other file that a maker of code leaves for perf (Linux,
 * tools/perf/Documentation/jitdump-specification.txt, version 1). Nothing in it is trusted. */

/* Adds the pieces of `bytes` of text, which must outlive the map; behind them lies a NUL. False: it
 * is no jitdump of this byte order. It ends at the first record that makes no sense: the process
 * may have been killed while it wrote one. */
bool jitdump_read(struct code_map *m, struct symbolize_files *files, const char *text,
		  uint64_t bytes);

/* Names of generated code: those that the profile keeps, else those from the files that its makers
 * leave for perf: /tmp/perf-PID.map, lines of "START SIZE NAME" in hexadecimal, and jit-PID.dump.
 * The files of all processes of a profile are read. A file is used only if it belongs to the owner
 * of the process's profile and was written after the process began. Where two processes have
 * different names for an address none is given: a call path does not say which process it is of. */

struct jit { /* `profile` and `files` are set, and must outlive it; the rest begins as zero */
	const struct profile *profile;
	struct symbolize_files *files;
	struct map *map; /* private: those that are there, by process */
	uint32_t maps;
	uint32_t refused; /* of them, not told yet */
	bool read;
};

struct jit_name {
	const char *name;      /* NULL: not known */
	const char *map;       /* path of the file that knows it; NULL: the profile keeps it */
	uint64_t start, bytes; /* of the code */
	uint32_t pid;
	bool ambiguous; /* maps disagree, or several functions lay there one after another */
};

void symbolize_jit_clear(struct jit *j);

struct jit_name symbolize_jit_look_up(struct jit *j, uint64_t address);

/* A map that exists but was refused, each once; NULL: no more. */
const char *symbolize_jit_refused(struct jit *j);

/* What the makers of code call it in their maps, taken apart: V8's "JS:*reply /srv/app.js:12:3",
 * HotSpot's "void com.foo.Bar.method(int)", CPython's "py::handle:/srv/app.py". */

struct generated_name {
	char *text;	      /* what the others lie in, to be freed; NULL: out of memory */
	const char *function; /* with parameters */
	const char *brief;    /* without */
	const char *file;     /* NULL: not known */
	int line, column;     /* of the function; 0: not known */
	const char *language; /* "javascript", "java", "python"; NULL: another, or machine code of
				 the runtime itself */
};

/* A name of no known form stays as it is. */
struct generated_name generated_name_parse(const char *name);

/* Is it of the language's own library or an installed package, not of the program itself? */
bool generated_name_is_library(const struct generated_name *n);

/* Symbols of generated code whose name tells a function of a language. */

#define SYMBOLIZE_GENERATED_MODULE "[generated code]" /* where the profile keeps the name */

struct generated_names {	     /* zeroed: none yet */
	struct string_index whole;   /* function and place: the same of several compilers */
	struct generated_name *name; /* by number of that */
	uint32_t room;
};

/* Names, place and language of what was found. The same function of several compilers, or of
 * several processes, has one linker_name, by address. False: it is a name of another kind, and only
 * the module was filled in; or out of memory. */
bool symbolize_generated_fill(struct generated_names *names, const struct jit_name *found,
			      struct symbol *out);
void symbolize_generated_free(struct generated_names *names);
