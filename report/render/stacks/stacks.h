// SPDX-License-Identifier: GPL-3.0-or-later
/* The call paths of a report as numbered functions, for formats that list each function once:
 * pprof, callgrind, folded, CSV.
 *
 * All texts here are clean: valid UTF-8 without control characters and line breaks (utf8_clean),
 * never NULL, so that no name can break a line-based format. A frame without a name is called
 * module+0x12. Pointers live until the next call of stacks_*; numbers for as long as the stacks. */
#pragma once

#include "report/containers/string_index.h"
#include "report/report.h"

struct stacks_function {
	uint32_t name;	      /* numbers of texts */
	uint32_t linker_name; /* as the symbol table has it */
	uint32_t file;	      /* STRING_INDEX_NONE: not known */
	uint32_t module;      /* path; STRING_INDEX_NONE: none */
	int declared;	      /* line; 0: not known */
};

struct stacks_place {
	uint32_t function;
	int line; /* 0: not known */
};

/* One frame: the functions whose code is at it, inlined ones first. */
struct stacks_frame {
	struct prof_frame frame;
	uint32_t first, places; /* in `place`; at most STACKS_PLACES */
	bool named;		/* a function is known */
};

#define STACKS_PLACES 64u

struct stacks {
	struct report *report;
	struct string_index names;
	struct stacks_function *function;
	struct stacks_frame *frame;
	struct stacks_place *place;
	uint32_t functions, frames, places;
	uint32_t function_room;	      /* private */
	struct string_index keys;     /* private: functions by their numbers */
	uint32_t *known, known_room;  /* private: frames by number of their symbol */
	struct report_site computing; /* private: stacks_row's */
	uint32_t sites;		      /* private: how many of its rows are of calls */
};

/* `report` is set, the rest begins as zero. */
void stacks_end(struct stacks *s);
/* A frame without a name: "libc.so.6+0x29d90", or an address. free() it; NULL: out of memory. */
char *stacks_place_name(const struct symbol *s);
/* The number of a frame (STRING_INDEX_NONE: out of memory). */
uint32_t stacks_frame(struct stacks *s, const struct prof_frame *frame);
/* The timed function of a site itself, the innermost of all. Where its outcome is
 * not "completed", `with_outcome` says so in the name: "recv (would-block)". */
uint32_t stacks_leaf(struct stacks *s, const struct report_site *site, bool with_outcome);
/* A stand-in for frames that are not there: for outer ones named by report_names_path_end, for all
 * of what was computed "(no frames)". STRING_INDEX_NONE where there are all, and when out of
 * memory. */
uint32_t stacks_outer(struct stacks *s, const struct report_site *site);

/* What a format of stacks shows: sites, then call paths of what was computed, of each as many as
 * --top says. How many they are; STRING_INDEX_NONE: out of memory. */
uint32_t stacks_rows(struct stacks *s, const struct report_options *o);
/* Row i of these, until the next call of this. */
const struct report_site *stacks_row(struct stacks *s, uint32_t i);

/* All functions of a site's path with the line in each (0: not known), outermost first: the program
 * where programs are apart, the stand-in for outer frames, the frames, and the timed function with
 * its outcome, which what was computed has not. `visit` returns -1 to stop. -1: it did, or out of
 * memory. */
typedef int stacks_visit(void *to, uint32_t function, int line);
int stacks_walk(struct stacks *s, const struct report_site *site, stacks_visit *visit, void *to);
/* Texts of a function. `file` and `module` may be NULL. */
const char *stacks_name(const struct stacks *s, uint32_t function);
const char *stacks_file(const struct stacks *s, uint32_t function);
const char *stacks_module(const struct stacks *s, uint32_t function);
