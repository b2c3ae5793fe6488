// SPDX-License-Identifier: GPL-3.0-or-later
/* Where calls come from: modules, frames, lines of interpreted languages, generated code. */
#pragma once

#include <stdint.h>

#include "include/scprof_format.h"

struct prof_module {
	char *path;
	uint8_t build_id[SCP_BUILD_ID_MAX];
	uint32_t build_id_bytes;
};

/* As narrow as in a file: a million call paths have a dozen million of them. A model has
 * PROF_SOURCE modules at most. */
struct prof_frame {
	uint64_t offset : 47;	/* in the module's ELF address space (address - load bias) */
	uint64_t exact : 1;	/* interrupted instruction, not a return address */
	uint64_t module : 15;	/* index into modules; PROF_NO_MODULE: offset is an address;
				   PROF_SOURCE: offset is an index into source_line */
	uint64_t heuristic : 1; /* no unwind table led to it; another frame than the same without */
};
#define PROF_SOURCE    0x7ffeu
#define PROF_NO_MODULE 0x7fffu

/* A function of an interpreted language, and a place in it (struct scp_source_line). Equal ones of
 * all files are one here. The strings are UTF-8 without control characters. */
struct prof_source_function {
	char *name, *file; /* the name is qualified where the language has that */
	uint32_t first_line;
	uint32_t language; /* enum scp_language; of a later version: another number */
};

struct prof_source_line {
	uint32_t function;	     /* index into source_function */
	uint32_t line;		     /* 0: not known */
	uint32_t column, end_column; /* bytes of the line, from 1; 0: not known */
	uint32_t instruction;
	uint32_t address[2]; /* of generated code, in no file: its lower half first; 0: none */
};

/* Generated code that has a name (struct scp_generated). Equal ones are one; they may overlap. */
struct prof_generated {
	uint64_t start, bytes; /* start + bytes does not wrap, bytes is not 0 */
	uint32_t pid;	       /* 0: of all processes */
	char *name;
};

/* Equal paths of all files and threads are one path here. */
struct prof_path {
	struct prof_frame *frame; /* innermost first */
	uint32_t frames;
	uint32_t flags; /* SCP_PATH_*, and PROF_PATH_* */
};
#define PROF_PATH_LEFT_OUT (1u << 31) /* by --below: set by below_mark */
#define PROF_PATH_SAMPLED  (1u << 30) /* of samples, not of calls: another path than the same */
