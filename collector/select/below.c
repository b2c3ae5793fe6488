// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/select/below.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/select/library_closure.h"
#include "profile/base/error.h"

static int out_of_memory(struct profile_error *err)
{
	error_set(err, "out of memory");
	return -1;
}

void below_free(struct below *b)
{
	for (size_t i = 0; i < b->objects; i++) {
		free(b->object[i].path);
		free(b->object[i].range);
	}
	free(b->object);
	free(b->names);
	symbol_pattern_free(&b->patterns);
	*b = (struct below){0};
}

static int compare_ranges(const void *a, const void *b)
{
	const struct scp_below_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

size_t below_join(struct scp_below_range *range, size_t count)
{
	size_t kept = 0;

	qsort(range, count, sizeof(*range), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		if (kept && range[i].start <= range[kept - 1].end) {
			if (range[i].end > range[kept - 1].end)
				range[kept - 1].end = range[i].end;
		} else {
			range[kept++] = range[i];
		}
	}
	return kept;
}

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* An interpreter, or its library, by the name of its file? */
static bool is_interpreter(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	return begins_with(file, "python") || begins_with(file, "libpython");
}

static bool is_source(const char *file)
{
	size_t length = strlen(file);

	return length > 3 && !strcmp(file + length - 3, ".py");
}

/* May it be a Python function, which no symbol table has, and only the process itself will see
 * (preload/filter/below.h)? `is_python`: an interpreter is known to be there; else only what
 * has the form of one: file.py:name, package.module.name. */
static bool may_mean_python(const struct symbol_pattern *p, bool is_python)
{
	/* a list that the process reads has no commas and lines in its names */
	if (strpbrk(p->text, "( ~,\n") || strstr(p->text, "::"))
		return false;
	if (p->library)
		return is_source(p->library) ||
		       (is_python && !strstr(p->library, ".so") && !is_interpreter(p->library));
	return is_python || strchr(p->name, '.');
}

/* Fill b->names with those that may, if any does. */
static int collect_python(struct below *b, struct profile_error *err)
{
	size_t room = 1, at = 0;
	bool any = false;

	for (size_t i = 0; i < b->patterns.count; i++)
		room += strlen(b->patterns.list[i].text) + 2;
	b->names = malloc(room);
	if (!b->names) {
		error_set(err, "out of memory");
		return -1;
	}
	for (size_t i = 0; i < b->patterns.count; i++) {
		const struct symbol_pattern *p = &b->patterns.list[i];

		if (!may_mean_python(p, b->is_python))
			continue;
		any |= !p->takes_out;
		at += (size_t)sprintf(b->names + at, "%s%s\n", p->takes_out ? "!" : "", p->text);
	}
	b->names[at] = '\0';
	if (at >= SCP_BELOW_NAMES_BYTES) {
		error_set(
			err,
			"--below: patterns that may mean Python functions have more than %u bytes; "
			"shorten them by globs",
			SCP_BELOW_NAMES_BYTES - 1);
		return -1;
	}
	if (!any) {
		free(b->names);
		b->names = NULL;
	}
	return 0;
}

static int add_object(struct below *b, struct below_object *found)
{
	struct below_object *grown = realloc(b->object, (b->objects + 1) * sizeof(*grown));

	if (!grown)
		return -1;
	b->object = grown;
	found->ranges = below_join(found->range, found->ranges);
	b->object[b->objects++] = *found;
	return 0;
}

/* A file that cannot be read has no functions; the loader will say why. `path`: as the program
 * names it. */
static int search_file(struct below *b, const char *file, const char *path)
{
	struct below_object found = {0};
	bool python = is_interpreter(path);
	int result = below_symbols_search(file, python, &b->patterns, &found, &b->functions);

	b->is_python |= python;

	if (!result && found.ranges) {
		found.path = strdup(path);
		if (found.path && !add_object(b, &found))
			return 0;
		result = -1;
	}
	free(found.path);
	free(found.range);
	return result;
}

static int search_all(struct below *b, const struct library_closure *c)
{
	for (size_t i = 0; i < c->paths; i++)
		if (search_file(b, c->path[i], c->path[i]))
			return -1;
	return 0;
}

/* LIBRARY:NAME of what the program does not need: it may open that, or become it by exec. */
static int search_others(struct below *b, const struct library_closure *known)
{
	int failed = 0;

	for (size_t i = 0; i < b->patterns.count && !failed; i++) {
		const struct symbol_pattern *p = &b->patterns.list[i];
		struct library_closure found;

		if (p->matches || p->takes_out || !p->library)
			continue;
		failed = library_closure_search(p->library, known, &found) || search_all(b, &found);
		library_closure_free(&found);
	}
	return failed;
}

static int say_unmatched(struct below *b, struct profile_error *err)
{
	for (size_t i = 0; i < b->patterns.count; i++) {
		const struct symbol_pattern *p = &b->patterns.list[i];

		if (p->matches || p->takes_out || may_mean_python(p, b->is_python))
			continue;
		b->unmatched = p;
		error_set(err, "--below: '%.150s' matches no function %s", p->text,
			  p->library ? "in a program or library of that name"
				     : "of the program or of the libraries that it needs");
		return -1;
	}
	return 0;
}

static int parse_patterns(struct below *b, const char *text, struct profile_error *err)
{
	char why[sizeof(err->text)];

	if (!symbol_pattern_parse(NULL, text, &b->patterns, err))
		return 0;
	if (!strncmp(err->text, "-s: ", 4)) { /* the patterns of -s are checked there, too */
		snprintf(why, sizeof(why), "%s", err->text + 4);
		snprintf(err->text, sizeof(err->text), "--below: %.480s", why);
	}
	return -1;
}

static int check_some(struct below *b, const char *text, struct profile_error *err)
{
	if (collect_python(b, err))
		return -1;
	if (b->functions || b->names)
		return 0;
	error_set(err,
		  "--below: '%.200s' leaves no function: the last pattern that matches "
		  "decides",
		  text);
	return -1;
}

static int search_mapped(struct below *b, const char *exe, const char *root,
			 const struct library_closure *mapped)
{
	char file[PATH_MAX], path[PATH_MAX];
	ssize_t bytes = readlink(exe, path, sizeof(path) - 1);

	path[bytes > 0 ? bytes : 0] = '\0';
	int failed = search_file(b, exe, path);
	for (size_t i = 0; i < mapped->paths && !failed; i++)
		if ((size_t)snprintf(file, sizeof(file), "%s%s", root, mapped->path[i]) <
		    sizeof(file))
			failed = search_file(b, file, mapped->path[i]);
	return failed;
}

int below_resolve_mapped(struct below *b, pid_t pid, const char *root, const char *text,
			 struct profile_error *err)
{
	struct library_closure mapped = {0};
	char exe[48];

	*b = (struct below){0};
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	if (parse_patterns(b, text, err) || library_closure_find_mapped(pid, &mapped, err))
		return -1;
	int failed =
		search_mapped(b, exe, root, &mapped) ? out_of_memory(err) : say_unmatched(b, err);
	library_closure_free(&mapped);
	return failed ? failed : check_some(b, text, err);
}

int below_resolve(struct below *b, const char *program, const char *command, const char *text,
		  struct profile_error *err)
{
	char real[PATH_MAX];
	const char *path = realpath(program, real) ? real : program;
	struct library_closure known = {0};
	struct profile_error ignored;

	*b = (struct below){.is_python = is_interpreter(command)};
	if (parse_patterns(b, text, err))
		return -1;
	if (library_closure_find(program, &known, &ignored))
		known = (struct library_closure){0};
	int failed = search_file(b, path, path) || search_all(b, &known) || search_others(b, &known)
			     ? out_of_memory(err)
			     : say_unmatched(b, err);
	library_closure_free(&known);
	return failed ? failed : check_some(b, text, err);
}

static size_t texts_bytes(const struct below *b)
{
	size_t bytes = 0;

	for (size_t i = 0; i < b->objects; i++)
		bytes += strlen(b->object[i].path) + 1;
	return bytes + (b->names ? strlen(b->names) : 0) + 1; /* it ends in a NUL */
}

static void fill(const struct below *b, uint8_t *image, size_t ranges, size_t bytes)
{
	struct scp_below_file *head = (void *)image;
	struct scp_below_object *o = (void *)(head + 1);
	struct scp_below_range *r = (void *)(o + b->objects);
	char *text = (char *)(r + ranges);

	memcpy(head->magic, SCP_BELOW_MAGIC, sizeof(head->magic));
	head->bytes = bytes;
	head->objects = (uint32_t)b->objects;
	head->ranges = (uint32_t)ranges;
	for (size_t i = 0, first = 0; i < b->objects; i++, o++) {
		const struct below_object *from = &b->object[i];

		memcpy(o->build_id, from->build_id, sizeof(o->build_id));
		o->build_id_bytes = from->build_id_bytes;
		o->first = (uint32_t)first;
		o->count = (uint32_t)from->ranges;
		o->path = (uint32_t)(text - (char *)image);
		memcpy(r + first, from->range, from->ranges * sizeof(*r));
		first += from->ranges;
		text = stpcpy(text, from->path) + 1;
	}
	if (b->names) {
		head->names = (uint32_t)(text - (char *)image);
		strcpy(text, b->names);
	}
}

static int save(const char *path, const uint8_t *image, size_t bytes)
{
	FILE *file = fopen(path, "wxe");

	if (!file)
		return -1;
	/* programs that drop their privileges still read it */
	bool written = !fchmod(fileno(file), 0644) && fwrite(image, bytes, 1, file) == 1;
	return fclose(file) || !written ? -1 : 0;
}

int below_write(const struct below *b, const char *path, struct profile_error *err)
{
	size_t ranges = 0;

	for (size_t i = 0; i < b->objects; i++)
		ranges += b->object[i].ranges;
	size_t bytes = sizeof(struct scp_below_file) +
		       b->objects * sizeof(struct scp_below_object) +
		       ranges * sizeof(struct scp_below_range) + texts_bytes(b);
	uint8_t *image = calloc(1, bytes);
	errno = ENOMEM;
	if (image)
		fill(b, image, ranges, bytes);
	int failed = image ? save(path, image, bytes) : -1;
	if (failed)
		error_set(err, "--below: cannot write %.300s: %s", path, strerror(errno));
	free(image);
	return failed;
}
