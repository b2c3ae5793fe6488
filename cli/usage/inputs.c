// SPDX-License-Identifier: GPL-3.0-or-later
/* One empty file among a hundred must not prevent reading the others. */
#include "cli/usage/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/messages/complaint.h"
#include "cli/usage/output.h"

struct opening {
	const char *command;
	struct progress *progress;
	size_t left_out;
};

static void tell_progress(void *context, size_t done, size_t all)
{
	struct opening *o = context;

	progress_files(o->progress, done, all);
}

static void tell_left_out(void *context, const struct profile_error *why)
{
	struct opening *o = context;

	progress_clear(o->progress);
	o->left_out++;
	complaint_say(o->command, "left out: %.*s", (int)strcspn(why->text, "\n"), why->text);
}

/* The *.scp files of a directory, in the order of their names. */
static int is_profile(const struct dirent *e)
{
	size_t length = strlen(e->d_name);

	return length > 4 && e->d_name[0] != '.' && !strcmp(e->d_name + length - 4, ".scp");
}

struct paths {
	char **path;
	size_t count, room;
};

static int add_path(struct paths *p, const char *directory, const char *name)
{
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		char **grown = realloc(p->path, room * sizeof(*grown));

		if (!grown)
			return -1;
		p->path = grown;
		p->room = room;
	}
	if (directory && asprintf(&p->path[p->count], "%s/%s", directory, name) < 0)
		return -1;
	if (!directory)
		p->path[p->count] = strdup(name);
	if (!p->path[p->count])
		return -1;
	p->count++;
	return 0;
}

static int add_directory(const char *command, struct paths *p, const char *path)
{
	struct dirent **entry = NULL;
	int found = scandir(path, &entry, is_profile, alphasort), status = 0;

	if (found < 0)
		complaint_say(command, "cannot read the directory %s: %s", path, strerror(errno));
	if (found == 0)
		complaint_say(command, "no .scp file in the directory %s", path);
	for (int i = 0; i < found; i++) {
		status = status ? status : add_path(p, path, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	if (status)
		complaint_say(command, "out of memory");
	return found > 0 ? status : -1;
}

static void free_paths(struct paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->path[i]);
	free(p->path);
}

static struct profile *open_files(const char *command, const char *const *paths, size_t count,
				  struct progress *progress, bool one_line, int *status)
{
	struct opening o = {.command = command, .progress = progress};
	struct profile_listener to = {
		.told = tell_progress, .left_out = count > 1 ? tell_left_out : NULL, .context = &o};
	struct profile_error err;
	struct profile *p;

	progress_begin(progress, command, true);
	p = profile_open_told(paths, count, &to, &err);
	if (p && o.left_out)
		*status = INPUTS_UNREAD;
	if (p)
		return p;
	progress_clear(progress);
	for (char *c = err.text; one_line && *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	if (o.left_out == count)
		complaint_say(command, "none of these %zu profiles can be read", count);
	else
		complaint_lines(command, err.text);
	return NULL;
}

/* The files that operands stand for. -1: it was said why there are none. */
static int expand(const char *command, const char *const *paths, size_t count, struct paths *all)
{
	struct stat st;
	int failed = 0;

	for (size_t i = 0; i < count && !failed; i++) {
		if (!stat(paths[i], &st) && S_ISDIR(st.st_mode)) {
			failed = add_directory(command, all, paths[i]);
			continue;
		}
		failed = add_path(all, NULL, paths[i]);
		if (failed)
			complaint_say(command, "out of memory");
	}
	return failed;
}

int inputs_refuse(const char *command, const char *output, const char *const *paths, size_t count)
{
	struct paths all = {0};
	int status = 0;

	if (expand(command, paths, count, &all) < 0)
		status = INPUTS_UNREAD;
	else if (output_refuse(command, output, (const char *const *)all.path, all.count))
		status = INPUTS_REPLACED;
	free_paths(&all);
	return status;
}

struct profile *inputs_open(const char *command, const char *const *paths, size_t count,
			    struct progress *progress, bool one_line, int *status)
{
	struct profile *p = NULL;
	struct paths all = {0};

	if (expand(command, paths, count, &all) == 0)
		p = open_files(command, (const char *const *)all.path, all.count, progress,
			       one_line, status);
	free_paths(&all);
	return p;
}
