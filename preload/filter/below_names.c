// SPDX-License-Identifier: Apache-2.0
/* A name is tried from each of its dots on, so that a pattern needs no "*." before it. */
#include "preload/filter/below_names.h"
#include "include/scprof_control.h"
#include "preload/filter/glob.h"

#define JOINED_MOST 512u

static char taken[SCP_BELOW_NAMES_BYTES]; /* its last byte stays 0 */

void below_names_take(const char *patterns)
{
	size_t bytes = patterns ? text_length(patterns) : 0;
	if (bytes >= sizeof taken)
		bytes = sizeof taken - 1;
	bytes_copy(taken, patterns, bytes);
	taken[bytes] = 0;
}

/* [!][FILE:]NAME */
struct pattern {
	bool out;
	const char *file, *name;
	size_t file_bytes, name_bytes; /* file_bytes 0: any */
};

/* The pattern at *text, which goes on to the next one. False: there is none. */
static bool next_pattern(const char **text, struct pattern *p)
{
	const char *at = *text;
	size_t n = 0;
	if (!*at)
		return false;
	while (at[n] && at[n] != ',' && at[n] != '\n')
		n++;
	*text = at + n + (at[n] != 0);
	bool out = n && *at == '!';
	*p = (struct pattern){.out = out, .name = at + out, .name_bytes = n - out};
	for (size_t i = 0; i < p->name_bytes; i++)
		if (p->name[i] == ':') {
			p->file = p->name;
			p->file_bytes = i;
			p->name += i + 1;
			p->name_bytes -= i + 1;
			break; /* a C++ name, "a::b", is left with ":b", which matches nothing */
		}
	return true;
}

static bool ends_like(const struct pattern *p, const char *name)
{
	if (glob_matches(p->name, p->name_bytes, name))
		return true;
	for (; *name; name++)
		if (*name == '.' && glob_matches(p->name, p->name_bytes, name + 1))
			return true;
	return false;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t n = text_length(end);
	for (size_t i = 0; i < n; i++)
		if (length < n || text[length - n + i] != end[i])
			return false;
	return true;
}

/* "service" is service.py, too. */
static bool is_file(const struct pattern *p, const char *file)
{
	char stem[256];
	for (size_t i = 0; i < p->file_bytes; i++)
		if (p->file[i] == '/')
			return glob_matches(p->file, p->file_bytes, file);
	file = text_basename(file);
	if (glob_matches(p->file, p->file_bytes, file))
		return true;
	size_t bytes = text_length(file);
	if (!ends_in(file, bytes, ".py") || bytes >= sizeof stem)
		return false;
	bytes_copy(stem, file, bytes - 3);
	stem[bytes - 3] = 0;
	return glob_matches(p->file, p->file_bytes, stem);
}

/* "srv.app.handlers.Service.reply"; of a long path its end. */
static void join(char joined[JOINED_MOST], const char *file, const char *name)
{
	size_t bytes = text_length(file), at = 0;
	if (ends_in(file, bytes, ".py"))
		bytes -= 3;
	if (ends_in(file, bytes, "/__init__"))
		bytes -= 9;
	if (bytes > JOINED_MOST / 2) {
		file += bytes - JOINED_MOST / 2;
		bytes = JOINED_MOST / 2;
	}
	if (bytes && *file == '/') {
		file++;
		bytes--;
	}
	for (; at < bytes; at++)
		joined[at] = (char)(file[at] == '/' ? '.' : file[at]);
	joined[at++] = '.';
	text_append(joined, JOINED_MOST, at, name);
}

bool below_names_source(const char *file, const char *name)
{
	char joined[JOINED_MOST];
	const char *rest = taken;
	struct pattern p;
	bool below = false;
	if (!*taken)
		return false;
	join(joined, file, name);
	while (next_pattern(&rest, &p))
		if (p.file ? is_file(&p, file) && ends_like(&p, name) : ends_like(&p, joined))
			below = !p.out;
	return below;
}

bool below_names_only(const char *patterns)
{
	struct pattern p;
	while (patterns && next_pattern(&patterns, &p)) {
		if (p.out)
			continue;
		if (p.file && ends_in(p.file, p.file_bytes, ".py"))
			return true;
		for (size_t i = 0; !p.file && i < p.name_bytes; i++)
			if (p.name[i] == '.')
				return true;
	}
	return false;
}
