// SPDX-License-Identifier: GPL-3.0-or-later
/* What the makers of code call it in their maps, taken apart: V8's "JS:*reply /srv/app.js:12:3",
 * HotSpot's "void com.foo.Bar.method(int)", perf-map-agent's "Lcom/foo/Bar;::method", CPython's
 * "py::handle:/srv/app.py". Private to symbolize*.c. */
#ifndef SCPROF_REPORT_SYMBOLS_GENERATED_NAME_H
#define SCPROF_REPORT_SYMBOLS_GENERATED_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct generated_name {
	char *text;	      /* what the others lie in, to be freed; NULL: out of memory */
	const char *function; /* with parameters */
	const char *brief;    /* without */
	const char *file;     /* NULL: not known */
	int line, column;     /* of the function; 0: not known */
	bool alone;	      /* nothing is inlined into the code: it is all the function's own */
	const char *language; /* "javascript", "java", "python"; NULL: another, or machine code of
				 the runtime itself */
};

/* A name of no known form stays as it is. */
struct generated_name generated_name_parse(const char *name);

/* A name that a profile keeps of one address may have the line of the call behind it,
 * " at FILE:LINE". It is put there if `size` has room, as cut takes it off again: the line, and
 * where the file's name begins in `name`; 0: there is none. */
bool generated_name_put_call(char *name, size_t size, const char *file, int line);
int generated_name_cut_call(char *name, char **file);

/* Does V8 name code so? */
bool generated_name_is_v8(const char *name);

/* Are the lines that the code's maker noted surely of the function's own file? */
bool generated_name_has_line(const struct generated_name *n);

/* Is it of the language's own library or an installed package, not of the program itself? */
bool generated_name_is_library(const struct generated_name *n);

#endif
