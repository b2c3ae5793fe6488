// SPDX-License-Identifier: GPL-3.0-or-later
/* A report that is not complete must not replace a good one. */
#include "cli/usage/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "profile/base/array.h"

bool output_refuse(const char *command, const char *path, const char *const *input, size_t inputs)
{
	struct stat out, in;

	if (!path || stat(path, &out) || !S_ISREG(out.st_mode))
		return false;
	for (size_t i = 0; i < inputs; i++) {
		if (stat(input[i], &in) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
			continue;
		complaint_say(command,
			      "-o %.300s would replace %.300s, which is to be read; name another "
			      "file with -o",
			      path, strcmp(path, input[i]) ? input[i] : "the same file");
		return true;
	}
	return false;
}

static mode_t file_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int open_partial(struct output *o)
{
	int fd = temporary_file_create(&o->partial, o->path), error;

	if (fd < 0)
		return -1;
	if (fchmod(fd, file_mode()) == 0)
		o->stream = fdopen(fd, "w");
	if (o->stream)
		return 0;
	error = errno;
	close(fd);
	temporary_file_drop(&o->partial);
	errno = error;
	return -1;
}

int output_open(struct output *o, const char *path)
{
	struct stat st;

	memset(o, 0, sizeof(*o));
	o->path = path;
	if (!path) {
		o->stream = stdout;
		return 0;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->stream = fopen(path, "we");
		return o->stream ? 0 : -1;
	}
	return open_partial(o);
}

int output_close(struct output *o, bool keep)
{
	int status = ferror(o->stream) ? -1 : 0, error = EIO;

	if ((o->path ? fclose : fflush)(o->stream) == EOF) {
		status = -1;
		error = errno;
	}
	if (o->partial.name && (status < 0 || !keep)) {
		temporary_file_drop(&o->partial);
	} else if (o->partial.name && temporary_file_keep(&o->partial)) {
		status = -1;
		error = errno;
	}
	errno = error;
	return status;
}

static bool lost;

void output_lost(const char *command)
{
	if (!lost)
		complaint_say(command, "cannot write to standard output%s%s", errno ? ": " : "",
			      errno ? strerror(errno) : ""); /* why earlier writes failed is lost */
	lost = true;
}

int output_finish(const char *command)
{
	errno = 0;
	if (fflush(stdout) != EOF && !ferror(stdout))
		return 0;
	output_lost(command);
	return -1;
}

static int complain(const char *command, const char *path)
{
	lost |= !path;
	return complaint_say(command, "cannot write %s: %s; name another place with -o",
			     path ? path : "standard output", strerror(errno));
}

int output_begin(struct output *o, const char *command, const char *path)
{
	if (output_open(o, path))
		return complain(command, path);
	errno = 0;
	return 0;
}

int output_end(struct output *o, const char *command, int failed)
{
	int error = errno;

	if (output_close(o, !failed) == 0 && !failed)
		return 0;
	if (failed)
		errno = error ? error : EIO;
	return complain(command, o->path);
}

int output_try(const char *command, const char *path)
{
	struct output o;
	struct stat st;

	if (!path || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0;
	if (output_begin(&o, command, path))
		return -1;
	output_close(&o, false);
	return 0;
}

/* One empty file among a hundred must not prevent reading the others. */

struct opening {
	const char *command;
	struct progress *progress;
	size_t left_out;
};

static void tell_progress(void *context, size_t done, size_t all)
{
	struct opening *o = context;

	progress_show(o->progress, (double)done / (double)all, "%zu of %zu profiles read", done,
		      all);
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
	size_t count;
};

static int add_path(struct paths *p, const char *directory, const char *name)
{
	char **to = ARRAY_APPEND(p->path, p->count);

	if (to && (!directory || asprintf(to, "%s/%s", directory, name) < 0))
		*to = directory ? NULL : strdup(name);
	return to && *to ? 0 : -1;
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

static struct profile *open_files(const char *command, const char *const *paths, size_t count,
				  struct progress *progress, bool one_line, int *status)
{
	struct opening o = {.command = command, .progress = progress};
	struct profile_listener to = {
		.told = tell_progress, .left_out = count > 1 ? tell_left_out : NULL, .context = &o};
	struct profile_error err;

	struct profile *p = profile_open_told(paths, count, &to, &err);

	if (!p || o.left_out)
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
static int expand(const char *command, const char *const *paths, struct paths *all)
{
	struct stat st;
	int failed = 0;

	for (; *paths && !failed; paths++) {
		if (!stat(*paths, &st) && S_ISDIR(st.st_mode)) {
			failed = add_directory(command, all, *paths);
			continue;
		}
		failed = add_path(all, NULL, *paths);
		if (failed)
			complaint_say(command, "out of memory");
	}
	return failed;
}

ARRAY_COMPARE(by_identity, struct prof_process, PROF_ORDER(a, b, start_mono_ns, start_real_ns, pid))

void inputs_tell_same(const char *command, const struct profile *const *p, size_t count)
{
	struct prof_process *all = NULL;
	size_t processes = 0;

	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < p[i]->processes; k++)
			(void)ARRAY_PUT(all, processes, p[i]->process[k]);
	ARRAY_SORT(all, processes, by_identity);
	for (size_t i = 1; i < processes; i++)
		if (all[i].start_mono_ns && all[i].file && all[i - 1].file &&
		    !by_identity(&all[i - 1], &all[i])) {
			complaint_say(command,
				      "process %u is in %s and in %s: its calls count twice",
				      all[i].pid, all[i - 1].file, all[i].file);
			break;
		}
	free(all);
}

struct profile *inputs_open(const char *command, const char *output, const char *const *paths,
			    struct progress *progress, bool one_line, int *status)
{
	struct profile *p = NULL;
	struct paths all = {0};

	progress_begin(progress, command, true);
	if (expand(command, paths, &all))
		*status = INPUTS_UNREAD;
	else if (output_refuse(command, output, (const char *const *)all.path, all.count))
		*status = INPUTS_REPLACED;
	else
		p = open_files(command, (const char *const *)all.path, all.count, progress,
			       one_line, status);
	for (size_t i = 0; i < all.count; i++)
		free(all.path[i]);
	free(all.path);
	if (p) {
		progress_clear(progress);
		inputs_tell_same(command, (const struct profile *const *)&p, 1);
	}
	return p;
}
