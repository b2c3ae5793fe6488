// SPDX-License-Identifier: GPL-3.0-or-later
/* The rules of execvp and of the kernel's #! line, without running anything. */
#include "collector/launch/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/words.h"

/* 0 if it may be executed, else errno. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (!S_ISREG(st.st_mode) || euidaccess(path, X_OK))
		return EACCES;
	return 0;
}

static int search(const char *name, char *path, size_t size)
{
	char fallback[256] = "/bin:/usr/bin", candidate[4096];
	const char *at = getenv("PATH");
	bool denied = false;

	if (!at)
		confstr(_CS_PATH, fallback, sizeof(fallback));
	for (at = at ? at : fallback;; at++) {
		size_t length = strcspn(at, ":");
		/* an empty element is the working directory */
		int written = snprintf(candidate, sizeof(candidate), "%.*s%s%s", (int)length, at,
				       length ? "/" : "./", name);
		int error =
			(size_t)written < sizeof(candidate) ? executable(candidate) : ENAMETOOLONG;

		if (!error || (error == EACCES && !denied))
			snprintf(path, size, "%s", candidate);
		if (!error)
			return 0;
		denied = denied || error == EACCES;
		at += length;
		if (!*at)
			break;
	}
	errno = denied ? EACCES : ENOENT;
	return -1;
}

int program_find(const char *name, char *path, size_t size)
{
	if (size)
		path[0] = '\0';
	if (strlen(name) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!*name) {
		errno = ENOENT;
		return -1;
	}
	if (!strchr(name, '/'))
		return search(name, path, size);
	snprintf(path, size, "%s", name);
	errno = executable(path);
	return errno ? -1 : 0;
}

/* `env` looks up its first word that is neither an option nor NAME=VALUE; -u
 * and -C take a word of their own. */
static void parse_env(const char *rest, struct shebang *out)
{
	char word[sizeof(out->program)];

	while (words_next(&rest, " \t", word, sizeof(word))) {
		if (!strcmp(word, "-u") || !strcmp(word, "-C")) {
			if (!words_next(&rest, " \t", word, sizeof(word)))
				return;
		} else if (!strncmp(word, "-S", 2) && word[2]) {
			snprintf(out->program, sizeof(out->program), "%s", word + 2);
			return;
		} else if (word[0] != '-' && !strchr(word, '=')) {
			snprintf(out->program, sizeof(out->program), "%s", word);
			return;
		}
	}
}

bool program_find_shebang(const char *head, size_t bytes, struct shebang *out)
{
	char line[1024];
	const char *rest = line;

	*out = (struct shebang){0};
	if (bytes < 3 || head[0] != '#' || head[1] != '!')
		return false;
	bytes = bytes - 2 < sizeof(line) - 1 ? bytes - 2 : sizeof(line) - 1;
	memcpy(line, head + 2, bytes);
	line[bytes] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!words_next(&rest, " \t", out->interpreter, sizeof(out->interpreter)))
		return false;
	if (!strcmp(basename(out->interpreter), "env"))
		parse_env(rest, out);
	return true;
}
