// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/base/given_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"

static const char *unfit(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return NULL;
	return S_ISDIR(st->st_mode) ? "it is a directory" : "it is not a regular file";
}

int given_file_find(const char *path, int flags, struct stat *st)
{
	int place = open(path, O_PATH | O_CLOEXEC | flags);

	if (place < 0 || !fstat(place, st))
		return place;
	close(place);
	return -1;
}

int given_file_open_found(int place)
{
	int fd = kernel_file_fd(O_RDONLY | O_NONBLOCK | O_NOCTTY, "/proc/self/fd/%d", place);

	kernel_file_close(&place);
	return fd;
}

int given_file_open(const char *path, int flags, struct stat *st, const char **why)
{
	const char *ignored = NULL;
	struct stat own = {0};

	st = st ? st : &own;
	why = why ? why : &ignored;
	*why = NULL;
	int fd = given_file_find(path, flags, st);
	if (fd >= 0 && (*why = unfit(st))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	if (fd >= 0)
		fd = given_file_open_found(fd);
	if (fd < 0)
		*why = strerror(errno);
	return fd;
}

/* Of files in /proc the size is not known before. */
static const char *read_all(int fd, char *text, size_t room)
{
	size_t at = 0;
	ssize_t got = 1;

	while (at < room && (got = read(fd, text + at, room - at)) > 0)
		at += (size_t)got;
	if (got < 0)
		return strerror(errno);
	if (at == room)
		return "it is far too large";
	text[at] = '\0';
	return NULL;
}

char *given_file_text(const char *path, size_t room, const char **why)
{
	int fd = given_file_open(path, 0, NULL, why);
	char *text = fd < 0 ? NULL : malloc(room);

	if (fd < 0)
		return NULL;
	*why = text ? read_all(fd, text, room) : strerror(ENOMEM);
	close(fd);
	if (!*why)
		return text;
	free(text);
	return NULL;
}

const char *proc_stat_read(pid_t pid, pid_t tid, char text[PROC_STAT_BYTES])
{
	if (tid ? kernel_file_text(text, PROC_STAT_BYTES, "/proc/%d/task/%d/stat", (int)pid,
				   (int)tid)
		: kernel_file_text(text, PROC_STAT_BYTES, "/proc/%d/stat", (int)pid))
		return NULL;
	char *end = strrchr(text, ')');
	return end && end[1] ? end + 2 : NULL;
}

long long proc_stat_number(const char *fields, int number)
{
	for (int i = 3; fields && *fields && i < number; i++)
		fields = strchr(fields + 1, ' ');
	return fields ? strtoll(fields, NULL, 10) : -1;
}
