// SPDX-License-Identifier: GPL-3.0-or-later
/* A report that is not complete must not replace a good one. */
#include "cli/usage/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages/complaint.h"

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

static int close_stream(struct output *o)
{
	if (!o->path)
		return fflush(o->stream);
	return fclose(o->stream);
}

int output_close(struct output *o, bool keep)
{
	int status = ferror(o->stream) ? -1 : 0, error = EIO;

	if (close_stream(o) == EOF) {
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
		complaint_say(command, "cannot write to standard output: %s",
			      strerror(errno ? errno : EIO));
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
