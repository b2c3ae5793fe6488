// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/base/given_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *unfit(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return NULL;
	errno = EINVAL;
	return S_ISDIR(st->st_mode) ? "it is a directory" : "it is no regular file";
}

/* Asked before it is opened, and after: the name may be another file's by then. */
int given_file_open(const char *path, int flags, struct stat *st, const char **why)
{
	const char *ignored = NULL;
	struct stat own = {0};
	int fd = -1;

	st = st ? st : &own;
	why = why ? why : &ignored;
	*why = NULL;
	if (!stat(path, st) && !(*why = unfit(st)))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	if (fd >= 0 && !fstat(fd, st) && !(*why = unfit(st)))
		return fd;
	if (!*why)
		*why = strerror(errno);
	if (fd >= 0)
		close(fd);
	return -1;
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
