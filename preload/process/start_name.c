// SPDX-License-Identifier: Apache-2.0
/* AT_EXECFN, as libc has it: the dynamic linker, started as a command (ld.so ./app), writes the
 * program's path there, which /proc/self/auxv does not show. */
#include <errno.h>
#include <limits.h>
#include <sys/auxv.h>

#include "preload/process/settings.h"
#include "preload/system/sys.h"

#define DELETED " (deleted)"
#define WORD	8u    /* bytes that sys_can_read looks at */
#define PAGE	4096u /* the smallest of any kernel */

/* Mappings end between pages, so a page's first word speaks for all of it. */
static bool copy_path(char *to, size_t room, const char *from)
{
	for (size_t i = 0; from && i < room; i++) {
		uintptr_t at = (uintptr_t)from + i;
		if ((i == 0 || at % PAGE == 0) && !sys_can_read(at - at % WORD))
			return false;
		if (!(to[i] = from[i]))
			return true;
	}
	return false;
}

static bool is_number(const char *text)
{
	uint64_t value;
	long end = text_number(text, 0, LONG_MAX, &value);
	return end && !text[end];
}

/* A number, or "exe", is the kernel's link to a file: a descriptor, or /proc/PID/exe. (A program
 * that is called so gets the same name from its executable.) */
static bool is_name(const char *base)
{
	if (!*base || is_number(base) || text_equal(base, "exe"))
		return false;
	for (const unsigned char *at = (const unsigned char *)base; *at; at++)
		if (*at < 0x20 || *at == 0x7f)
			return false;
	return true;
}

size_t start_name_fits(const char *name, size_t length, size_t most)
{
	if (length <= most)
		return length;
	for (length = most; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80;)
		length--;
	return length;
}

void start_name_choose(char *name, size_t room, const char *started, const char *exe)
{
	const char *base = started ? text_basename(started) : "";
	size_t length = text_length(base);
	if (!is_name(base)) {
		base = text_basename(exe);
		length = text_length(base);
		size_t mark = sizeof DELETED - 1;
		if (length > mark && text_equal(base + length - mark, DELETED))
			length -= mark;
	}
	length = start_name_fits(base, length, room - 1);
	bytes_copy(name, base, length);
	name[length] = 0;
}

void start_name_read(char *name, size_t room, const char *exe)
{
	static LARGE char path[PATH_MAX];
	int saved = errno; /* getauxval sets it where the kernel tells nothing */
	const char *started = (const char *)getauxval(AT_EXECFN);
	errno = saved;
	start_name_choose(name, room, copy_path(path, sizeof path, started) ? path : NULL, exe);
}

void start_name_of_file(char name[START_NAME_OF_FILE], const char *program)
{
	const char *from = *program ? program : "unknown";
	size_t n = start_name_fits(from, text_length(from), START_NAME_OF_FILE - 1);
	text_append(name, n + 1, 0, from);
}
