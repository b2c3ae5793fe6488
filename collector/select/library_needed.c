// SPDX-License-Identifier: GPL-3.0-or-later
/* What ld.so does, without its cache and LD_LIBRARY_PATH: those are of this machine. */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/launch/elf_facts.h"
#include "collector/select/exports.h"
#include "collector/select/library_closure.h"
#include "profile/base/error.h"

/* The first file that matches and is of the machine. */
static bool find_glob(const char *pattern, uint16_t machine, char *path)
{
	struct exports file;
	glob_t found;
	bool is_found = false;

	if (glob(pattern, 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
		is_found = !exports_read(found.gl_pathv[i], &file) && file.machine == machine &&
			   realpath(found.gl_pathv[i], path);
		exports_free(&file);
	}
	globfree(&found);
	return is_found;
}

/* In a list of directories, as DT_RUNPATH has it. */
static bool find_in_list(const struct exports *o, const char *root, const char *list,
			 const char *name, char *path)
{
	const char *slash = strrchr(o->path, '/');

	for (const char *at = list; at && *at; at += strspn(at, ":")) {
		char pattern[3 * PATH_MAX];
		int length = (int)strcspn(at, ":");
		bool origin = !strncmp(at, "$ORIGIN", 7) && length >= 7;

		if (origin)
			snprintf(pattern, sizeof(pattern), "%.*s%.*s/%s",
				 slash ? (int)(slash - o->path) : 1, slash ? o->path : ".",
				 length - 7, at + 7, name);
		else
			snprintf(pattern, sizeof(pattern), "%s/%.*s/%s", root, length, at, name);
		if (find_glob(pattern, o->machine, path))
			return true;
		snprintf(pattern, sizeof(pattern), "%.*s/%s", length, at, name);
		if (!origin && find_glob(pattern, o->machine, path))
			return true;
		at += length;
	}
	return false;
}

static bool find_below_root(const struct exports *o, const char *root, const char *name, char *path)
{
	static const char *const folders[] = {
		"lib",	 "usr/lib",   "lib/*-linux-gnu", "usr/lib/*-linux-gnu",
		"lib64", "usr/lib64", "usr/local/lib"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char pattern[2 * PATH_MAX];

		snprintf(pattern, sizeof(pattern), "%s/%s/%s", root, folders[i], name);
		if (find_glob(pattern, o->machine, path))
			return true;
	}
	return false;
}

static int add(struct library_closure *c, const char *path, struct profile_error *err)
{
	for (size_t i = 0; i < c->paths; i++)
		if (!strcmp(c->path[i], path))
			return 0;
	if (!library_closure_add(c, path))
		return 0;
	error_set(err, "out of memory");
	return -1;
}

static int follow(const struct exports *o, const char *root, struct library_closure *out,
		  struct profile_error *err)
{
	char path[PATH_MAX];
	int failed = 0;

	for (size_t i = 0; !failed && i < o->needs; i++) {
		const char *name = o->needed[i];

		if (elf_facts_is_loader(name))
			continue;
		if (find_in_list(o, root, o->rpath, name, path) ||
		    find_in_list(o, root, o->runpath, name, path) ||
		    find_below_root(o, root, name, path)) {
			failed = add(out, path, err);
			continue;
		}
		error_set(err,
			  "%.200s needs %.100s, which is not found for its processor below\n"
			  "%.200s: name the folder that has its lib and usr/lib",
			  o->path, name, root);
		failed = -1;
	}
	return failed;
}

int library_needed_find(const char *program, const char *root, struct library_closure *out,
			struct profile_error *err)
{
	const char *path = program;
	int failed = 0;

	*out = (struct library_closure){0};
	for (size_t i = 0; !failed && path; i++) {
		struct exports object;

		failed = exports_read(path, &object);
		if (failed)
			error_set(err, "%.300s cannot be read as ELF", path);
		else
			failed = follow(&object, root, out, err);
		exports_free(&object);
		path = i < out->paths ? out->path[i] : NULL;
	}
	return failed;
}
