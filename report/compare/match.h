// SPDX-License-Identifier: GPL-3.0-or-later
/* Which row of one profile is which of another: entries of several profiles brought together by
 * what their call paths mean.
 *
 * Addresses mean something within one build only. In a module that is the same build everywhere,
 * frames are compared by address: exactly. Of one that was rebuilt, by function and line, the line
 * counted from the function's own, inlined functions as if they were frames; and paths that then
 * differ in lines alone are paired in their order if both sides have equally many (the function was
 * edited). Where a build has gone, or has no symbols, frames in it cannot be distinguished, and
 * rows that differ only there are one. Functions that were interrupted by a signal handler are
 * compared by name. Frames of interpreted languages have no build: they are compared by file,
 * function and line, and by the column where it is known.
 *
 * Single-threaded. Rows borrow from the profiles. */
#pragma once

#include "report/containers/string_index.h"
#include "report/report.h"

struct match_row {
	const char *key, *loose; /* the match's; loose: without lines */
	struct prof_sums *sums;	 /* one for each profile; calls 0: not there */
	bool in_base, in_new;
	bool moved;		 /* paired in order: its lines differ */
	uint32_t profile, entry; /* where to look up its names: of NEW if it is there */
};

struct match {
	const struct profile *const *profile;
	uint32_t profiles, bases; /* the first `bases` of them are BASE */
	struct symbolizer **symbols;
	struct string_index families; /* these are private: names of modules on both sides, */
	struct match_family *family;  /* by number of the name, */
	uint32_t **family_of;	      /* the number: [profile][module] */
	uint32_t family_room;
	const char **program, **script;	      /* of each profile: its own one, or NULL */
	struct string_index keys, loose_keys; /* a row has the number of its key, at first */
	uint32_t room;

	struct match_row *row;
	uint32_t rows;
	const char **vague; /* names of modules whose frames could not be distinguished */
	uint32_t vagues;
};

/* `by`: path, site or function. NULL: out of memory. */
struct match *match_build(const struct profile *const *profile, uint32_t profiles, uint32_t bases,
			  enum report_by by);
void match_free(struct match *m);

/* ---- between match*.c ---- */

/* -1: out of memory. match_modules_clear is due either way. */
int match_modules_build(struct match *m);
void match_modules_clear(struct match *m);
/* Those that are vague, into m->vague. -1: out of memory. */
int match_modules_report(struct match *m);
/* How a module is called on both sides; to be freed. NULL: out of memory. */
char *match_key_family(const struct match *m, uint32_t profile, const char *path);
/* Texts of one entry's row: full key and loose key, to be freed. -1: out of memory. */
int match_key_make(struct match *m, enum report_by by, uint32_t profile, const struct prof_entry *e,
		   char **key, char **loose);
