// SPDX-License-Identifier: GPL-3.0-or-later
/* libdwfl finds debug information by itself in the folders of its path, which belong to root or
 * were named by the reader, and asks the servers. It does not look beside the file: it would open
 * whatever another user put there, a pipe, too. */
#include "report/symbols/symbolize_private.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "report/wording/utf8.h"

/* The proof that a file is the right one: the build-id, or where there is none the CRC. */
struct proof {
	const unsigned char *build_id;
	int bytes; /* of it */
	GElf_Word crc;
};

static bool has_crc(int fd, GElf_Word wanted)
{
	uint8_t part[1 << 14];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, part, sizeof(part), at)) > 0) {
		crc = crc32(crc, part, (uInt)got);
		at += got;
	}
	return crc == wanted;
}

/* A copy of the file at the path, if it is the right one; -1: it is not. */
__attribute__((format(printf, 3, 4))) static int try_path(const struct symbolize_debug *d,
							  const struct proof *p, const char *format,
							  ...)
{
	struct stat st;
	va_list args;
	char *path;
	int fd, copy = -1;

	va_start(args, format);
	if (vasprintf(&path, format, args) < 0)
		path = NULL;
	va_end(args);
	fd = path ? symbolize_open(d->files, path, &st) : -1;
	free(path);
	if (fd < 0)
		return -1;
	if (st.st_dev != d->device || st.st_ino != d->inode)
		copy = symbolize_elf_copy(d->files, fd, &st);
	if (copy >= 0 &&
	    !(p->bytes > 0 ? symbolize_elf_has_build_id(copy, p->build_id, (uint32_t)p->bytes)
			   : has_crc(fd, p->crc))) {
		close(copy);
		copy = -1;
	}
	close(fd);
	return copy;
}

/* In the folder of the file itself, and in .debug/ there. */
static int try_beside(const struct symbolize_debug *d, const struct proof *p, const char *link)
{
	const char *name = base_name(d->path), *end = link ? "" : ".debug";
	int folder = (int)(name - d->path), fd;

	if (folder < 1)
		return -1;
	link = link ? link : name;
	fd = try_path(d, p, "%.*s%s%s", folder, d->path, link, end);
	return fd < 0 ? try_path(d, p, "%.*s.debug/%s%s", folder, d->path, link, end) : fd;
}

int symbolize_debug_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found)
{
	struct symbolize_debug *d = *userdata;
	struct proof p = {.crc = crc};
	GElf_Addr where;
	int fd = -1;

	if (!d->found) {
		p.bytes = dwfl_module_build_id(module, &p.build_id, &where);
		if ((p.bytes <= 0 && !link) || (link && strchr(link, '/')))
			return -1; /* nothing to prove it by, or a path that may lead anywhere */
		fd = try_beside(d, &p, link);
	}
	if (fd < 0 && symbolize_open_ask(d->files))
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc,
						  found);
	if (fd >= 0 && p.bytes > 0 &&
	    !symbolize_elf_has_build_id(fd, p.build_id, (uint32_t)p.bytes)) {
		close(fd); /* a server's answer */
		return -1;
	}
	d->found |= fd >= 0;
	return fd;
}
