// SPDX-License-Identifier: GPL-3.0-or-later
/* Such files have no size that could be asked for: they are read until a buffer is full. */
#include "profile/base/kernel_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMESPACES_MOST 33 /* that the kernel nests */

/* Declares the path that the format of a function makes of what follows it. */
#define NAME(path, format)                                                                         \
	char path[PATH_MAX + 1024];                                                                \
	va_list arguments;                                                                         \
	va_start(arguments, format);                                                               \
	vsnprintf(path, sizeof(path), format, arguments);                                          \
	va_end(arguments)

static int read_text(const char *name, char *text, size_t size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = fd;

	while (got >= 0 && length < size - 1 &&
	       (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	if (fd >= 0)
		close(fd);
	text[length] = '\0';
	return length ? 0 : -1;
}

int kernel_file_line(char *line, size_t size, const char *path, ...)
{
	NAME(name, path);
	int failed = read_text(name, line, size);

	line[strcspn(line, "\n")] = '\0';
	return failed;
}

int kernel_file_text(char *text, size_t size, const char *path, ...)
{
	NAME(name, path);
	return read_text(name, text, size);
}

int kernel_file_link(char *to, size_t size, const char *path, ...)
{
	NAME(name, path);
	ssize_t length = readlink(name, to, size - 1);

	to[length > 0 ? length : 0] = '\0';
	return length > 0 ? 0 : -1;
}

int kernel_file_fd(int flags, const char *path, ...)
{
	NAME(name, path);
	return open(name, flags | O_CLOEXEC);
}

void kernel_file_close(int *fd)
{
	int error = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = error;
}

FILE *kernel_file_open(const char *path, ...)
{
	NAME(name, path);
	return fopen(name, "re");
}

DIR *kernel_file_folder(const char *path, ...)
{
	NAME(name, path);
	return opendir(name);
}

int kernel_file_next(DIR **folder)
{
	struct dirent *entry;

	while (*folder && (entry = readdir(*folder)))
		if (isdigit((unsigned char)*entry->d_name))
			return atoi(entry->d_name);
	kernel_file_leave(folder);
	return -1;
}

void kernel_file_leave(DIR **folder)
{
	if (*folder)
		closedir(*folder);
	*folder = NULL;
}

static int parse_numbers(char *at, int base, uint64_t *number, int most)
{
	int count = 0;

	while (count < most) {
		char *end;

		number[count] = strtoull(at, &end, base);
		if (end == at)
			break;
		at = end;
		count++;
	}
	return count;
}

int proc_status_numbers(pid_t pid, const char *name, int base, uint64_t *number, int most)
{
	size_t room = 0, length = strlen(name);
	int count = -1;
	char *line = NULL;
	FILE *status = pid ? kernel_file_open("/proc/%d/status", (int)pid)
			   : kernel_file_open("/proc/self/status");

	if (!status)
		return -1;
	while (count <= 0 && getline(&line, &room, status) > 0) {
		bool found = !strncmp(line, name, length) && line[length] == ':';

		count = found ? parse_numbers(line + length + 1, base, number, most) : 0;
	}
	free(line);
	fclose(status);
	return count;
}

uint64_t proc_status_number(pid_t pid, const char *name, int base, uint64_t otherwise)
{
	uint64_t number;

	return proc_status_numbers(pid, name, base, &number, 1) > 0 ? number : otherwise;
}

pid_t proc_inner_pid(pid_t pid)
{
	uint64_t number[NAMESPACES_MOST];
	int count = proc_status_numbers(pid, "NSpid", 10, number, NAMESPACES_MOST);

	return count > 0 && number[count - 1] <= INT_MAX ? (pid_t)number[count - 1] : 0;
}
