// SPDX-License-Identifier: GPL-3.0-or-later
/* Cleaned once, when a name is met, and escaped when it is written: series are told apart by
 * what is printed. */
#include "label.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define CUT_MARK    "..."
#define DELETED	    " (deleted)"

/* Bytes of the well-formed character at `s`, 0: there is none (Unicode 15, Table 3-7). */
static size_t character(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t bytes;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	bytes = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < bytes; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return bytes;
}

/* C0 and DEL, and C1 as U+0080 to U+009F. */
static bool is_control(const unsigned char *s)
{
	return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

static void clean(char out[LABEL_BYTES], const char *name, size_t length)
{
	const size_t most = LABEL_BYTES - 1 - (sizeof(CUT_MARK) - 1);
	size_t used = 0, fits = 0, at = 0;

	while (at < length) {
		const unsigned char *s = (const unsigned char *)name + at;
		size_t bytes = character(s);
		bool bad = !bytes || bytes > length - at || is_control(s);
		const char *from = bad ? REPLACEMENT : (const char *)s;
		size_t put = bad ? sizeof(REPLACEMENT) - 1 : bytes;

		if (used + put > LABEL_BYTES - 1) {
			memcpy(out + fits, CUT_MARK, sizeof(CUT_MARK));
			return;
		}
		memcpy(out + used, from, put);
		used += put;
		if (used <= most)
			fits = used;
		at += bytes ? bytes : 1;
	}
	out[used] = '\0';
	if (!used)
		strcpy(out, "unknown");
}

void label_clean(char out[LABEL_BYTES], const char *name)
{
	clean(out, name, strlen(name));
}

void label_clean_program(char out[LABEL_BYTES], const char *path)
{
	size_t length = strlen(path);
	const size_t mark = sizeof(DELETED) - 1;
	const char *slash;

	if (length > mark && !strcmp(path + length - mark, DELETED))
		length -= mark;
	slash = memrchr(path, '/', length);
	if (slash) {
		length -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	clean(out, path, length);
}

void label_add_user(char name[LABEL_BYTES], unsigned uid)
{
	char user[16];
	size_t length = strlen(name), bytes = (size_t)snprintf(user, sizeof(user), "@%u", uid);

	if (length + bytes > LABEL_BYTES - 1) {
		length = LABEL_BYTES - 1 - bytes - (sizeof(CUT_MARK) - 1);
		while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
			length--; /* between characters */
		strcpy(name + length, CUT_MARK);
		length += sizeof(CUT_MARK) - 1;
	}
	strcpy(name + length, user);
}

void label_write(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		if (*value == '\n')
			fputs("\\n", out);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}
