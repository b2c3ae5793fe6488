// SPDX-License-Identifier: GPL-3.0-or-later
/* Writes JSON to a stream value by value, without a tree in memory: a report may have a million
 * rows. One writer belongs to one thread; the stream is used without its lock.
 *
 * Two dialects. A report is ASCII: broken UTF-8 becomes U+FFFD, so that no name can steer a
 * terminal. The data of a page stands
 * inside a <script> element: control characters, direction marks and U+2028 are made visible,
 * and `<`, `>` and `&` are escaped, so that no text can end the element. */
#pragma once

#include <stdio.h>

#include "profile/model/call_sums.h"
#include "report/render/json/row_fields.h"

/* Set `out`, and the options; the rest begins as zero. Groups nest at most 63 deep. */
struct json_writer {
	FILE *out;
	bool page;	/* the dialect of a page's data */
	bool indent;	/* each member on a line of its own, in all groups */
	bool failed;	/* out of memory: what was written is incomplete */
	bool filled;	/* the current group has a member */
	unsigned depth; /* of the current group */
	uint64_t lines; /* bit n: members of the group at depth n stand on lines of their own */
};

/* Each writes a member of an object, or with `key` NULL an element of an array, or a single
 * value. Keys are not escaped. */
void json_write_null(struct json_writer *w, const char *key);
void json_write_flag(struct json_writer *w, const char *key, bool value);
void json_write_integer(struct json_writer *w, const char *key, int64_t n);
/* Above INT64_MAX as a real number: readers keep integers in 64 bits with a sign. */
void json_write_count(struct json_writer *w, const char *key, uint64_t n);
void json_write_count_if(struct json_writer *w, const char *key, bool known, uint64_t n);
/* null where not finite. 15 significant digits; in a page 10, of which it shows 4 (or all that tell
 * on which side of halfway it is). */
void json_write_number(struct json_writer *w, const char *key, double value);
void json_write_rough(struct json_writer *w, const char *key, double value);	/* 3 digits */
void json_write_text(struct json_writer *w, const char *key, const char *text); /* NULL: null */
/* UTC, ISO 8601, with 3 or 9 `digits` of the second; null for 0. */
void json_write_time(struct json_writer *w, const char *key, uint64_t real_ns, int digits);
/* An array of texts: `count` of them, or those before the NULL. */
void json_write_texts(struct json_writer *w, const char *key, const char *const *text,
		      size_t count);
#define JSON_TO_NULL SIZE_MAX
void json_write_numbers(struct json_writer *w, const char *key, const double *value, size_t count);
/* An array of the names of the bits that are set. */
void json_write_bits(struct json_writer *w, const char *key, unsigned bits,
		     const char *(*name)(unsigned bit));
/* The fields of `row` in the table; all null unless known. */
void json_write_fields(struct json_writer *w, const struct row_field *fields, const void *row,
		       bool known);
/* An object of these fields; null for NULL. */
void json_write_object(struct json_writer *w, const char *key, const struct row_field *fields,
		       const void *row);

/* Members of *from, each under its own name; values, each after its key. A comparison is an int. */
#define JSON_MEMBERS(w, from, ...) (PROF_EACH(JSON_MEMBER, w, from, __VA_ARGS__)(void) 0)
#define JSON_MEMBER(w, from, m)	   JSON_VALUE(w, #m, (from)->m)
#define JSON_VALUE(w, key, value)                                                                  \
	_Generic((value), double: json_write_number, bool: json_write_flag,                        \
		 int: json_write_integer, char *: json_write_text, const char *: json_write_text,  \
		 default: json_write_count)(w, key, value),
#ifdef __cppcheck__
#define JSON_PUT(w, key, value, ...) (JSON_VALUE(w, key, value)(void) 0)
#else
#define JSON_PUT(w, ...) (PROF_SCAN(JSON_PUT_ONE(w, __VA_ARGS__))(void) 0)
#define JSON_PUT_ONE(w, key, value, ...)                                                           \
	JSON_VALUE(w, key, value) __VA_OPT__(JSON_PUT_AGAIN PROF_NOTHING(w, __VA_ARGS__))
#define JSON_PUT_AGAIN() JSON_PUT_ONE
#endif
/* An object of such values, or of such members. */
#define JSON_OBJECT(w, key, ...)                                                                   \
	(json_write_open(w, key, '{'), JSON_PUT(w, __VA_ARGS__), json_write_close(w, '}'))
#define JSON_OBJECT_OF(w, key, from, ...)                                                          \
	(json_write_open(w, key, '{'), JSON_MEMBERS(w, from, __VA_ARGS__), json_write_close(w, '}'))

/* '{' and '}', or '[' and ']', around members or elements. json_write_open_lines puts each of
 * them on a line of its own. */
void json_write_open(struct json_writer *w, const char *key, char bracket);
void json_write_open_lines(struct json_writer *w, const char *key, char bracket);
void json_write_close(struct json_writer *w, char bracket);
/* An array: what a statement writes of each element of an array, to which `e` points. */
#define JSON_LIST(w, key, e, array, count, ...)                                                    \
	JSON_LIST_BY(json_write_open, w, key, e, array, count, __VA_ARGS__)
#define JSON_LIST_LINES(w, key, e, array, count, ...)                                              \
	JSON_LIST_BY(json_write_open_lines, w, key, e, array, count, __VA_ARGS__)
#define JSON_LIST_BY(open, w, key, e, array, count, ...)                                           \
	do {                                                                                       \
		open(w, key, '[');                                                                 \
		for (__typeof__(*(array)) *e = (array); e < (array) + (count); e++)                \
			__VA_ARGS__;                                                               \
		json_write_close(w, ']');                                                          \
	} while (0)
/* Open an object where its content is known; else write null, and return false. */
bool json_write_open_known(struct json_writer *w, const char *key, bool known);
/* Closes a document's object, and its line. 0, or -1 with errno: out of memory. Errors of the
 * stream stay in it. */
int json_write_finish(struct json_writer *w);
