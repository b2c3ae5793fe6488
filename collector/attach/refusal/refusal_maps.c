// SPDX-License-Identifier: GPL-3.0-or-later
/* Names in it are the process's own to choose: they decide what is said, and no file is opened by
 * them but below the process's root and with its owner's rights. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/attach/refusal/refusal_private.h"

#define MOST_LINES 300000 /* vm.max_map_count is 65530, where nobody has raised it */
#define DELETED	   " (deleted)"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* libc.so.6, and libc-2.31.so of older releases. */
static bool is_glibc(const char *name)
{
	return !strcmp(name, "libc.so.6") || begins(name, "libc-2.");
}

static bool is_sanitizer(const char *name)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "libhwasan.so",
					    "liblsan.so", "libclang_rt."};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(name, names[i]))
			return true;
	return false;
}

static bool is_wake(const char *name)
{
	size_t length = strlen(name);

	return begins(name, "scprof.") && length > 5 && !strcmp(name + length - 5, ".wake");
}

static void note_file(struct refusal_maps *m, const char *path, uint64_t from, uint64_t offset)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (is_glibc(name) && !offset && !m->libc)
		m->libc = from;
	else if (begins(name, "ld-musl-") || begins(name, "libc.musl-"))
		m->musl = true;
	else if (!strcmp(name, "libscprof.so"))
		m->preloaded = true;
	else if (!*m->sanitizer && is_sanitizer(name))
		snprintf(m->sanitizer, sizeof(m->sanitizer), "%.60s", name);
	else
		m->wake |= is_wake(name);
}

static void note_line(struct refusal_maps *m, char *line)
{
	uint64_t from, to, offset;
	char access[5];
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &from, &to, access,
		   &offset, &name) < 4 ||
	    !name)
		return;
	if (!m->readable && access[0] == 'r')
		m->readable = from;
	size_t length = strlen(line), mark = strlen(DELETED);
	if (length > mark && !strcmp(line + length - mark, DELETED)) {
		line[length - mark] = '\0';
		if (is_wake(strrchr(line, '/') ? strrchr(line, '/') + 1 : line))
			return; /* nobody else can open it */
	}
	if (line[name] == '/')
		note_file(m, line + name, from, offset);
}

void refusal_maps_parse(FILE *maps, struct refusal_maps *m)
{
	char *line = NULL;
	size_t room = 0;

	*m = (struct refusal_maps){0};
	for (uint32_t n = 0; n < MOST_LINES && getline(&line, &room, maps) > 0; n++)
		if (!m->readable || strchr(line, '/'))
			note_line(m, line);
	free(line);
}

int refusal_maps_read(pid_t pid, struct refusal_maps *m)
{
	char path[64];

	*m = (struct refusal_maps){0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");
	if (!maps)
		return -1;
	refusal_maps_parse(maps, m);
	int failed = ferror(maps) ? -1 : 0;
	fclose(maps);
	return failed;
}
