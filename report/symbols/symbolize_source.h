// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of frames of interpreted languages (PROF_SOURCE): the profile itself has them, unless their
 * code was generated. */
#ifndef SCPROF_REPORT_SYMBOLS_SYMBOLIZE_SOURCE_H
#define SCPROF_REPORT_SYMBOLS_SYMBOLIZE_SOURCE_H

#include <stdio.h>

#include "report/symbols/symbolize.h"

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

#endif
