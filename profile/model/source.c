// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions of interpreted languages and generated code: their names are UTF-8 as in RFC 3629. */
#include <string.h>
#include <unistr.h>

#include "profile/model/model.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the character at `s`; 0: it is none, or it is a control character. */
static size_t printable(const char *s)
{
	ucs4_t character;
	int bytes = u8_strmbtouc(&character, (const uint8_t *)s);

	return bytes <= 0 || character < 0x20 || (character >= 0x7f && character < 0xa0)
		       ? 0
		       : (size_t)bytes;
}

/* Copies `from` as UTF-8 without control characters, each byte of anything else as '?', in `room`
 * bytes with the NUL at most. What is longer loses its end, or with `keep_end` its beginning; no
 * character is cut in two. Cleaning twice changes nothing. */
static void clean_text(char *to, size_t room, const char *from, bool keep_end)
{
	size_t length = strlen(from), used = 0;

	if (keep_end && length >= room) {
		from += length - (room - 1);
		for (int i = 0; i < 3 && is_continuation((unsigned char)*from); i++)
			from++;
	}
	while (*from) {
		size_t bytes = printable(from), taken = bytes ? bytes : 1;

		if (used + taken >= room)
			break;
		memcpy(to + used, bytes ? from : "?", taken);
		used += taken;
		from += taken;
	}
	to[used] = 0;
}

uint32_t source_add_function(struct profile *p, const struct prof_source_function *f)
{
	char name[SCP_SOURCE_NAME_MAX], file[SCP_SOURCE_FILE_MAX];
	struct prof_source_function own = *f;

	clean_text(name, sizeof name, f->name, false);
	clean_text(file, sizeof file, f->file, true);
	own.name = name;
	own.file = file;
	return intern_add(p, INTERN_SOURCE_FUNCTION, &own);
}

uint32_t source_add_line(struct profile *p, const struct prof_source_line *l)
{
	return intern_add(p, INTERN_SOURCE_LINE, l);
}

uint32_t source_add_generated(struct profile *p, const struct prof_generated *g)
{
	char name[SCP_SOURCE_NAME_MAX];
	struct prof_generated own = *g;

	if (!g->bytes || g->start + g->bytes < g->start)
		return PROF_NONE;
	clean_text(name, sizeof name, g->name, false);
	own.name = name;
	return intern_add(p, INTERN_GENERATED, &own);
}
