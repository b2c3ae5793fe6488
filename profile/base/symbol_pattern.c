// SPDX-License-Identifier: GPL-3.0-or-later
/* C++ names have commas and colons of their own: a comma inside parentheses or angle
 * brackets does not separate patterns, and "::" is no LIBRARY:NAME. */
#include "profile/base/symbol_pattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/given_file.h"
#include "profile/base/array.h"

enum { FILES_DEEP = 4, FILE_ROOM = 1 << 20 };

static int parse(const char *text, struct symbol_patterns *out, struct profile_error *err,
		 int depth);

static int refuse(struct profile_error *err, const char *what, const char *text, size_t length)
{
	return error_set(err, "%s: '%.*s'", what, (int)length, text);
}

/* First colon that is no half of "::"; a '/' may come before it. */
static const char *library_colon(const char *text, size_t length)
{
	for (size_t i = 0; i < length && text[i] != '('; i++) {
		if (text[i] != ':')
			continue;
		if (i + 1 < length && text[i + 1] == ':')
			i++;
		else
			return text + i;
	}
	return NULL;
}

static int add(const char *text, size_t length, struct symbol_patterns *out,
	       struct profile_error *err)
{
	bool takes_out = *text == '!';
	struct symbol_pattern *p = ARRAY_APPEND(out->list, out->count);

	if (!p)
		return refuse(err, "out of memory at", text, length);
	text += takes_out;
	length -= takes_out;
	const char *colon = library_colon(text, length), *name = colon ? colon + 1 : text;
	*p = (struct symbol_pattern){
		.text = strndup(text, length),
		.library = colon ? strndup(text, (size_t)(colon - text)) : NULL,
		.name = strndup(name, length - (size_t)(name - text)),
		.takes_out = takes_out,
	};
	if (!p->text || !p->name || (colon && !p->library))
		return refuse(err, "out of memory at", text, length);
	if (!*p->name || (colon && !*p->library))
		return refuse(err, "-s: a pattern without a name", text, length);
	p->is_exact = !strpbrk(p->name, "*?[");
	out->demangled |= strstr(p->name, "::") || strpbrk(p->name, "( ~");
	return 0;
}

static int parse_file(const char *path, size_t length, struct symbol_patterns *out,
		      struct profile_error *err, int depth)
{
	char *name = strndup(path, length), *text = NULL, *at, *line;
	const char *why = name ? "files that name each other" : strerror(ENOMEM);
	int failed = 0;

	if (name && depth < FILES_DEEP)
		text = given_file_text(name, FILE_ROOM, &why);
	if (!text)
		failed = error_set(err, "-s: cannot read the patterns in %.300s: %s",
				   name ? name : "?", why);
	for (at = text; !failed && (line = strsep(&at, "\n"));) {
		line[strcspn(line, "#")] = '\0';
		failed = parse(line, out, err, depth + 1);
	}
	free(text);
	free(name);
	return failed;
}

/* Up to the next comma outside brackets. */
static size_t word_length(const char *text)
{
	int open = 0;
	size_t n = 0;

	for (; text[n] && (text[n] != ',' || open > 0); n++) {
		open += text[n] == '(' || text[n] == '<';
		open -= text[n] == ')' || (text[n] == '>' && open > 0);
	}
	return n;
}

static int parse(const char *text, struct symbol_patterns *out, struct profile_error *err,
		 int depth)
{
	int failed = 0;

	while (*text && !failed) {
		size_t whole = word_length(text), blank = strspn(text, " \t");
		size_t length = whole > blank ? whole - blank : 0;
		const char *word = text + blank;

		while (length && (word[length - 1] == ' ' || word[length - 1] == '\t' ||
				  word[length - 1] == '\r'))
			length--;
		if (length && *word == '@')
			failed = parse_file(word + 1, length - 1, out, err, depth);
		else if (length)
			failed = add(word, length, out, err);
		text += whole;
		text += *text == ',';
	}
	return failed;
}

int symbol_pattern_parse(const char *optional, const char *text, struct symbol_patterns *out,
			 struct profile_error *err)
{
	*out = (struct symbol_patterns){0};
	if (optional && parse(optional, out, err, 0))
		return -1;
	for (size_t i = 0; i < out->count; i++)
		out->list[i].is_optional = true;
	if (text && parse(text, out, err, 0))
		return -1;
	for (size_t i = 0; i < out->count; i++)
		if (!out->list[i].takes_out)
			return 0;
	return error_set(err,
			 "-s: '%.200s' chooses no function.\nWrite names, globs or LIBRARY:NAME: "
			 "-s 'libz.so*:deflate*,!deflateInit*'",
			 text);
}

void symbol_pattern_free(struct symbol_patterns *p)
{
	for (size_t i = 0; i < p->count; i++)
		PROF_FREE(&p->list[i], text, library, name);
	free(p->list);
	*p = (struct symbol_patterns){0};
}

/* "libz" stands for libz.so.1 as well, "libc" for libc-2.31.so, "service" for service.py. */
static bool is_stem(const char *pattern, const char *name)
{
	const char *so = strstr(name, ".so"), *rest = name + strlen(pattern);

	so = so ? so : strstr(name, ".py");
	return so && !strncmp(pattern, name, strlen(pattern)) &&
	       (rest == so || (rest < so && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9'));
}

bool symbol_pattern_has_library(const struct symbol_pattern *p, const char *path,
				const char *soname)
{
	const char *file = basename(path);

	if (!p->library)
		return true;
	if (strchr(p->library, '/'))
		return !fnmatch(p->library, path, 0);
	return !fnmatch(p->library, file, 0) || !fnmatch(p->library, soname, 0) ||
	       is_stem(p->library, file) || is_stem(p->library, soname);
}

bool symbol_pattern_has_name(const struct symbol_pattern *p, const char *name, const char *full,
			     const char *brief)
{
	if (p->is_exact)
		return !strcmp(p->name, name) || (full && !strcmp(p->name, full)) ||
		       (brief && !strcmp(p->name, brief));
	return !fnmatch(p->name, name, 0) || (full && !fnmatch(p->name, full, 0)) ||
	       (brief && !fnmatch(p->name, brief, 0));
}

/* Functions that do the work or wait, and are called from outside of their library: what only reads
 * a field would cost more to time than to call. Libraries are named where a program may open them
 * later (Python's modules); allocators are whatever the program is linked with. */
static const struct {
	const char *name, *patterns;
} groups[] = {
	{"ssl", "libssl.so*:SSL_read,libssl.so*:SSL_read_ex,libssl.so*:SSL_write,"
		"libssl.so*:SSL_write_ex,libssl.so*:SSL_peek,libssl.so*:SSL_do_handshake,"
		"libssl.so*:SSL_connect,libssl.so*:SSL_accept,libssl.so*:SSL_shutdown,"
		"libgnutls.so*:gnutls_record_recv,libgnutls.so*:gnutls_record_send,"
		"libgnutls.so*:gnutls_handshake,libgnutls.so*:gnutls_bye"},
	{"alloc", "malloc,calloc,realloc,free,reallocarray,posix_memalign,aligned_alloc,memalign"},
	{"thread", "pthread_mutex_lock,pthread_mutex_timedlock,pthread_rwlock_rdlock,"
		   "pthread_rwlock_wrlock,pthread_cond_wait,pthread_cond_timedwait,"
		   "pthread_cond_clockwait,pthread_join,pthread_barrier_wait,sem_wait,"
		   "sem_timedwait,sem_clockwait"},
	{"zlib", "libz.so*:deflate,libz.so*:inflate,libz.so*:compress,libz.so*:compress2,"
		 "libz.so*:uncompress,libz.so*:uncompress2,libz.so*:crc32,libz.so*:adler32,"
		 "libz.so*:gzread,libz.so*:gzwrite"},
	{"sqlite", "libsqlite3.so*:sqlite3_prepare_v2,libsqlite3.so*:sqlite3_prepare_v3,"
		   "libsqlite3.so*:sqlite3_step,libsqlite3.so*:sqlite3_exec,"
		   "libsqlite3.so*:sqlite3_reset,libsqlite3.so*:sqlite3_finalize,"
		   "libsqlite3.so*:sqlite3_open_v2,libsqlite3.so*:sqlite3_close_v2"},
	{"libpq", "libpq.so*:PQexec,libpq.so*:PQexecParams,libpq.so*:PQexecPrepared,"
		  "libpq.so*:PQprepare,libpq.so*:PQgetResult,libpq.so*:PQconnectdb,"
		  "libpq.so*:PQconnectdbParams,libpq.so*:PQsendQuery*,libpq.so*:PQconsumeInput"},
};

const char symbol_pattern_groups[] = "ssl, alloc, thread, zlib, sqlite, libpq";

const char *symbol_pattern_group(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (strlen(groups[i].name) == length && !strncmp(groups[i].name, name, length))
			return groups[i].patterns;
	return NULL;
}
