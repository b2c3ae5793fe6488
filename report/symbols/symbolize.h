// SPDX-License-Identifier: GPL-3.0-or-later
/* From (module, offset) to function, file, line and inlined calls. Works offline from the files
 * that the profile names, or from equal ones elsewhere (symbolize_module.c), with separate debug
 * information found by build-id or debug link (symbolize_elf.c). A file whose build-id is not the
 * one the profile recorded is never used: a wrong name is worse than none. Nothing is opened before
 * it is asked for, and every answer is kept. No profile is trusted: symbolize_elf.c says which of
 * the files that it names are opened, and how. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

#define SYMBOL_START_UNKNOWN UINT64_MAX /* as `into` */

enum symbol_source {
	SYMBOL_UNKNOWN,
	SYMBOL_FROM_DEBUG_INFO,
	SYMBOL_FROM_TABLE,
	SYMBOL_FROM_DYNAMIC,	/* a stripped file: only what it exports has a name */
	SYMBOL_FROM_PERF_MAP,	/* generated code */
	SYMBOL_FROM_INTERPRETER /* a function of an interpreted language */
};

struct symbol {
	const char *function;	 /* demangled, with parameters; NULL: not known */
	const char *brief;	 /* demangled, without parameters; NULL: not known */
	const char *linker_name; /* as it is in the file; NULL: not known */
	const char *module;	 /* path; NULL: no module (JIT or generated code, or `language`) */
	const char *module_name; /* its last part; of the program, what it was started as; NULL */
	const char *language;	 /* "python", ...: the frame is one of that; NULL: machine code */
	bool library;	  /* of such a language: not of the program itself, by the file's path */
	uint64_t offset;  /* in the module; an address where there is no module; with `language` in
			     the function's bytecode */
	uint64_t into;	  /* from the function that holds the code to the frame */
	const char *file; /* NULL: not known */
	int line;	  /* 0: not known */
	int column;	  /* in the line, in bytes from 1; 0: not known */
	int declared;	  /* line of the function itself, in the same file; 0: not known */
	bool inlined;	  /* this function's code was inlined into the next symbol */
	enum symbol_source source; /* of the name */
	uint32_t number;	   /* of the symbols that were asked for, from 0 on; innermost
				      first. SYMBOL_UNNUMBERED: out of memory */
};

#define SYMBOL_UNNUMBERED UINT32_MAX

enum symbolize_state {
	SYMBOLIZE_UNTRIED,
	SYMBOLIZE_LOADED,
	SYMBOLIZE_MISSING, /* no such file, not a regular file, not ELF */
	SYMBOLIZE_STALE,   /* another build than the one that ran */
	SYMBOLIZE_LEFT_OUT /* beyond what is read for one profile */
};

struct symbolizer;

/* For the modules of `p`, which must outlive all lookups; guarded from the beginning where root
 * reads the profile of another user. NULL when out of memory. */
struct symbolizer *symbolize_new(const struct profile *p);
void symbolize_free(struct symbolizer *s);

/* For a reader with more rights than those who wrote the profile, to be called before the first
 * lookup: only root's own files that everybody may read are opened, and only with the build-id that
 * the profile recorded. So libdw reads no crafted file, and nobody sees names from a file that he
 * may not read. */
void symbolize_guard(struct symbolizer *s);
bool symbolize_is_guarded(const struct symbolizer *s);

/* The symbols of a frame, innermost first; `*count` (NULL: not asked for) is at least 1. A return
 * address is looked up one byte earlier, inside the call instruction. When nothing is known the one
 * symbol has module and offset only. Never NULL; owned by the symbolizer. */
const struct symbol *symbolize_frame(struct symbolizer *s, const struct prof_frame *frame,
				     size_t *count);

/* The name, without a version, of a function in which the program, or a thread, begins; NULL: it is
 * none, or NULL. */
const char *symbolize_starter(const char *function);

/* Is it the C library, or the library of its threads? NULL: no. */
bool symbolize_is_libc(const char *module);

/* The number of a process, as those number it who look from outside of its container. */
static inline uint32_t symbolize_pid(const struct prof_process *p)
{
	return p->attached.pid ? p->attached.pid : p->pid;
}

/* What a module is called where its path is not said: the last part of it, or of a file that runs
 * as a program the name that it was started by (redis-server, a link to redis-check-rdb). */
const char *symbolize_module_name(const struct profile *p, const char *path);

/* The length of a name without what compilers append to that of a part or a copy of a function. */
size_t symbolize_stem(const char *name);

/* What became of a module so far. */
enum symbolize_state symbolize_module_state(const struct symbolizer *s, uint32_t module);

/* A map of generated code (/tmp/perf-PID.map) that was refused, each once; NULL: no more. */
const char *symbolize_refused_map(struct symbolizer *s);

/* Such maps of several processes know different names for one address: true once. */
bool symbolize_ambiguous(struct symbolizer *s);

/* Files, or debug information, were left out because of the limit on what is read for one
 * profile (symbolize_elf.c): true once. */
bool symbolize_left_out(struct symbolizer *s);

/* Names of frames of interpreted languages (PROF_SOURCE): the profile itself has them, unless their
 * code was generated. */

/* A frame that stands for all lines of a function: no file has one, rows by function do. */
static inline struct prof_frame symbolize_source_function(uint32_t function)
{
	return (struct prof_frame){.module = PROF_SOURCE, .exact = 1, .offset = function};
}

/* The function of a frame of PROF_SOURCE, and the line unless the frame stands for all of them.
 * NULL: the model has none. */
const struct prof_source_function *symbolize_source_find(const struct profile *p,
							 const struct prof_frame *frame,
							 const struct prof_source_line **line);

/* Where the code is that was generated for such a frame (function_names.c); 0: it is interpreted.
 */
uint64_t symbolize_source_address(const struct profile *p, const struct prof_frame *frame);

/* All but the number of the symbol. Strings are the profile's. */
void symbolize_source_fill(const struct profile *p, const struct prof_frame *frame,
			   struct symbol *out);

/* "java", ... as enum scp_language; SCP_LANGUAGE_NONE: it is none of these. */
uint32_t symbolize_source_language(const char *name);

/* What of a file's path lies below the folder of the standard library, or of installed packages:
 * "email/message.py". NULL: it is in none of them, but the program's own. */
const char *symbolize_source_library(const char *file);

enum symbolize_source_detail {
	SYMBOLIZE_SOURCE_COLUMN = 1, /* the instruction where it is not known; of a function its
					first line */
	SYMBOLIZE_SOURCE_INSTRUCTION = 2,
	SYMBOLIZE_SOURCE_PATH = 4 /* the file's whole path */
};

/* "Service.reply (service.py:142)", not yet clean. */
void symbolize_source_put(FILE *out, const struct symbol *s, unsigned detail);
