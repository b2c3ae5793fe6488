// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/symbols/symbolize_private.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "report/wording/utf8.h"

/* What debug information is looked for. */
struct search {
	struct symbolize_debug *debug;
	bool shared; /* what several files share */
	const uint8_t *build_id;
	uint32_t build_id_bytes; /* 0: the CRC decides */
	GElf_Word crc;
};

bool symbolize_debug_directory(const char **at, const char **directory, int *length)
{
	static const char system[] = "/usr/lib/debug";
	const char *list = getenv("SCPROF_DEBUG_PATH");

	if (!*at)
		*at = list ? list : "";
	while (**at == ':')
		++*at;
	if (*at == system + sizeof(system) - 1)
		return false;
	if (!**at)
		*at = system;
	*directory = *at;
	*length = (int)strcspn(*at, ":");
	*at += *length;
	return true;
}

/* The path of an open file, to be freed; NULL: none. */
static char *path_of(int fd)
{
	char name[64], path[PATH_MAX];
	ssize_t bytes;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	bytes = readlink(name, path, sizeof(path) - 1);
	path[bytes > 0 ? bytes : 0] = '\0';
	return path[0] == '/' ? strdup(path) : NULL;
}

static bool has_crc(const struct search *s, int fd, off_t bytes)
{
	uint8_t part[1 << 14];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got = 1;

	if (!symbolize_open_spend(s->debug->files, (uint64_t)bytes))
		return false;
	while (at < bytes && (got = pread(fd, part, sizeof(part), at)) > 0) {
		crc = crc32(crc, part, (uInt)got);
		at += got;
	}
	return at == bytes && crc == s->crc;
}

static bool is_wanted(const struct search *s, int fd, const struct stat *st)
{
	if (st->st_dev == s->debug->device && st->st_ino == s->debug->inode)
		return false;
	if (s->build_id_bytes)
		return symbolize_elf_has_build_id(s->debug->files, fd, s->build_id,
						  s->build_id_bytes) > 0;
	return has_crc(s, fd, st->st_size);
}

/* A copy of the file if it is what is looked for, or -1. Takes the descriptor. A shared file's
 * link to another shared file is not followed. */
static int take(const struct search *s, int fd, const struct stat *st)
{
	struct symbolize_debug *d = s->debug;
	struct symbolize_alt alt = {0};
	int copy = is_wanted(s, fd, st) ? symbolize_elf_copy(d->files, fd, st, &alt) : -1;

	if (copy >= 0 && !s->shared)
		d->has_symbols = symbolize_elf_has_symbols_at(copy);
	if (copy >= 0 && alt.build_id_bytes && !s->shared) {
		free(d->alt_from);
		d->alt_from = path_of(fd);
		d->alt = alt;
	}
	close(fd);
	return copy;
}

__attribute__((format(printf, 2, 3))) static int try_path(const struct search *s,
							  const char *format, ...)
{
	struct stat st;
	va_list args;
	char *path;
	int fd;

	va_start(args, format);
	if (vasprintf(&path, format, args) < 0)
		path = NULL;
	va_end(args);
	fd = path ? symbolize_open(s->debug->files, path, &st) : -1;
	free(path);
	return fd < 0 ? -1 : take(s, fd, &st);
}

static int try_build_id(const struct search *s)
{
	const char *at = NULL, *directory;
	char hex[2 * SCP_BUILD_ID_MAX + 1] = "";
	int length, fd = -1;

	for (uint32_t i = 0; i < s->build_id_bytes; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", s->build_id[i]);
	while (fd < 0 && s->build_id_bytes > 1 &&
	       symbolize_debug_directory(&at, &directory, &length))
		fd = try_path(s, "%.*s/.build-id/%.2s/%s.debug", length, directory, hex, hex + 2);
	return fd;
}

/* Below the directory, with ever less of the folder in front of the name. */
static int try_below(const struct search *s, const char *directory, int length, const char *folder,
		     int folder_length, const char *name)
{
	const char *end = folder + folder_length;
	int fd = -1;

	while (fd < 0 && folder < end) {
		const char *slash = memchr(folder, '/', (size_t)(end - folder));

		folder = slash ? slash + 1 : end;
		fd = try_path(s, "%.*s/%.*s/%s", length, directory, (int)(end - folder), folder,
			      name);
	}
	return fd;
}

static int try_name(const struct search *s, const char *path, const char *name)
{
	int folder = (int)(base_name(path) - path), length, fd;
	const char *at = NULL, *directory;

	if (folder < 1)
		return -1;
	fd = try_path(s, "%.*s%s", folder, path, name);
	if (fd < 0)
		fd = try_path(s, "%.*s.debug/%s", folder, path, name);
	while (fd < 0 && symbolize_debug_directory(&at, &directory, &length))
		fd = try_below(s, directory, length, path, folder, name);
	return fd;
}

/* Both names of a file without a link: its own with ".debug", and its own elsewhere. */
static int try_names(const struct search *s, const char *path, const char *link)
{
	char *own = NULL;
	int fd;

	if (!path)
		return -1;
	if (link)
		return strchr(link, '/') ? -1 : try_name(s, path, link);
	if (asprintf(&own, "%s.debug", base_name(path)) < 0)
		return -1;
	fd = try_name(s, path, own);
	free(own);
	return fd < 0 ? try_name(s, path, base_name(path)) : fd;
}

static int try_server(const struct search *s)
{
	struct stat st;
	int fd = symbolize_fetch(s->debug->files, s->build_id, s->build_id_bytes, true, &st);

	return fd < 0 ? -1 : take(s, fd, &st);
}

int symbolize_debug_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found)
{
	struct symbolize_debug *d = *userdata;
	struct search s = {.debug = d, .crc = crc};
	const unsigned char *build_id;
	GElf_Addr where;
	int bytes = dwfl_module_build_id(module, &build_id, &where), fd;

	(void)name, (void)base, (void)file, (void)found;
	if (bytes > 0 && bytes <= (int)SCP_BUILD_ID_MAX) {
		s.build_id = build_id;
		s.build_id_bytes = (uint32_t)bytes;
	} else if (!link) {
		return -1; /* nothing to prove it by */
	}
	fd = try_build_id(&s);
	if (fd < 0)
		fd = try_names(&s, d->path, link);
	if (fd < 0 && d->canonical && d->path && strcmp(d->canonical, d->path) != 0)
		fd = try_names(&s, d->canonical, link);
	return fd < 0 ? try_server(&s) : fd;
}

/* By its build-id, then by the name in the link. */
static int find_shared(struct symbolize_debug *d)
{
	struct search s = {.debug = d,
			   .shared = true,
			   .build_id = d->alt.build_id,
			   .build_id_bytes = d->alt.build_id_bytes};
	int fd = try_build_id(&s);

	if (fd < 0 && d->alt.name[0] == '/')
		fd = try_path(&s, "%s", d->alt.name);
	else if (fd < 0 && d->alt_from)
		fd = try_path(&s, "%.*s%s", (int)(base_name(d->alt_from) - d->alt_from),
			      d->alt_from, d->alt.name);
	if (fd < 0)
		fd = try_path(&s, "/usr/lib/debug/.dwz/%s", base_name(d->alt.name));
	return fd < 0 ? try_server(&s) : fd;
}

void symbolize_debug_share(struct symbolize_debug *d, Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *debug;

	if (d->is_shared)
		return;
	d->is_shared = true;
	debug = dwfl_module_getdwarf(module, &bias);
	if (!debug || !d->alt.build_id_bytes)
		return;
	d->shared_fd = find_shared(d);
	if (d->shared_fd >= 0)
		d->shared = dwarf_begin(d->shared_fd, DWARF_C_READ);
	if (d->shared)
		dwarf_setalt(debug, d->shared);
}

void symbolize_debug_init(struct symbolize_debug *d, struct symbolize_files *files,
			  const char *path, int fd, const struct stat *st,
			  const struct symbolize_alt *alt)
{
	*d = (struct symbolize_debug){.files = files,
				      .path = strdup(path),
				      .canonical = path_of(fd),
				      .device = st->st_dev,
				      .inode = st->st_ino,
				      .alt = *alt,
				      .alt_from = path_of(fd),
				      .shared_fd = -1};
}

void symbolize_debug_clear(struct symbolize_debug *d)
{
	dwarf_end(d->shared);
	if (d->shared_fd >= 0)
		close(d->shared_fd);
	free(d->path);
	free(d->canonical);
	free(d->alt_from);
	memset(d, 0, sizeof(*d));
	d->shared_fd = -1;
}
