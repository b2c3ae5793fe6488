// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "profile/base/given_file.h"
#include "report/symbols/symbolize_private.h"

static bool take(struct symbolize_files *f, uint64_t *taken, uint64_t more, uint64_t most)
{
	if (more > most - *taken) {
		f->left_out = true;
		return false;
	}
	*taken += more;
	return true;
}

bool symbolize_open_spend(struct symbolize_files *f, uint64_t bytes)
{
	return take(f, &f->spent, bytes, f->guarded ? SYMBOLIZE_MOST_GUARDED : SYMBOLIZE_MOST);
}

bool symbolize_open_step(struct symbolize_files *f, uint64_t steps)
{
	return take(f, &f->steps, steps,
		    f->guarded ? SYMBOLIZE_MOST_STEPS_GUARDED : SYMBOLIZE_MOST_STEPS);
}

bool symbolize_open_ask(struct symbolize_files *f)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return !servers || !*servers || symbolize_open_spend(f, SYMBOLIZE_QUESTION);
}

/* Files of /proc are regular and empty, and to read one may have effects, too. */
static bool is_allowed(const struct symbolize_files *f, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size > 0 &&
	       (!f->guarded || (!st->st_uid && st->st_mode & S_IROTH));
}

int symbolize_open(struct symbolize_files *f, struct stat *st, const char *format, ...)
{
	va_list args;
	char *path;
	int place;

	va_start(args, format);
	place = vasprintf(&path, format, args);
	va_end(args);
	if (place < 0)
		return -1;
	place = given_file_find(path, 0, st);
	free(path);
	if (place < 0)
		return -1;
	if (is_allowed(f, st) && symbolize_open_spend(f, SYMBOLIZE_LOOK))
		return given_file_open_found(place);
	close(place);
	return -1;
}

bool symbolize_open_is_allowed(const struct symbolize_files *f, int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && is_allowed(f, st);
}

static char *read_text(int fd, uint64_t *bytes)
{
	char *text = malloc(*bytes + 1);
	uint64_t at = 0;
	ssize_t got = 1;

	while (text && at < *bytes && (got = read(fd, text + at, *bytes - at)) > 0)
		at += (uint64_t)got;
	if (text)
		text[at] = '\0';
	*bytes = at;
	return text;
}

enum symbolize_map symbolize_open_read_map(struct symbolize_files *f, const char *path, uid_t owner,
					   uint64_t since_ns, char **text, uint64_t *bytes)
{
	struct stat st;
	int fd = given_file_find(path, O_NOFOLLOW, &st);
	uint64_t written;

	*text = NULL;
	if (fd < 0)
		return SYMBOLIZE_MAP_NONE;
	written = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	if (!S_ISREG(st.st_mode) || st.st_uid != owner || written < since_ns) {
		close(fd);
		return SYMBOLIZE_MAP_REFUSED;
	}
	fd = given_file_open_found(fd);
	if (fd < 0)
		return SYMBOLIZE_MAP_NONE;
	*bytes = (uint64_t)st.st_size;
	if (symbolize_open_spend(f, SYMBOLIZE_LOOK + *bytes))
		*text = read_text(fd, bytes);
	close(fd);
	return *text ? SYMBOLIZE_MAP_READ : SYMBOLIZE_MAP_NONE;
}

int symbolize_open_memory(struct symbolize_files *f, uint64_t bytes)
{
	struct rlimit largest;

	if (getrlimit(RLIMIT_FSIZE, &largest) < 0 || bytes > largest.rlim_cur) {
		f->left_out = true;
		return -1;
	}
	return memfd_create("names", MFD_CLOEXEC);
}

int symbolize_open_copy(struct symbolize_files *f, int from, uint64_t bytes)
{
	int copy = symbolize_open_memory(f, bytes);
	off_t at = 0;
	ssize_t got = 1;

	while (copy >= 0 && (uint64_t)at < bytes && got > 0)
		got = sendfile(copy, from, &at, bytes - (uint64_t)at);
	if (copy < 0 || (uint64_t)at == bytes)
		return copy;
	close(copy);
	return -1;
}
