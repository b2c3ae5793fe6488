// SPDX-License-Identifier: GPL-3.0-or-later
/* Names are cleaned once, when they are found, and escaped when they are written, so that
 * different series are printed differently. */
#include "report/serve/sums/label.h"

#include <stdbool.h>
#include <string.h>

#include "report/wording/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define CUT_MARK    "..."

void label_clean(char out[LABEL_BYTES], const char *name)
{
	size_t length = strlen(name);
	const size_t most = LABEL_BYTES - 1 - (sizeof(CUT_MARK) - 1);
	size_t used = 0, fits = 0, at = 0;

	while (at < length) {
		const char *s = name + at, *next = s;
		uint32_t c = utf8_next(&next);
		size_t bytes = (size_t)(next - s);
		bool bad = c == UTF8_BROKEN || bytes > length - at || utf8_is_harmful(c);
		const char *from = bad ? REPLACEMENT : s;
		size_t put = bad ? sizeof(REPLACEMENT) - 1 : bytes;

		if (used + put > LABEL_BYTES - 1) {
			memcpy(out + fits, CUT_MARK, sizeof(CUT_MARK));
			return;
		}
		memcpy(out + used, from, put);
		used += put;
		if (used <= most)
			fits = used;
		at += bytes;
	}
	out[used] = '\0';
	if (!used)
		strcpy(out, "unknown");
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
