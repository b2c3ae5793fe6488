// SPDX-License-Identifier: GPL-3.0-or-later
/* UTF-8 as in RFC 3629: the shortest form, no surrogates, nothing above U+10FFFF. */
#include "profile/model/source_text.h"

#include <stdint.h>
#include <string.h>

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the character at `s`; 0: it is none, or it is a control character. */
static size_t printable(const char *s)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *b = (const unsigned char *)s;
	size_t bytes = b[0] < 0x80 ? 1 : b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
	uint32_t character = bytes == 1 ? b[0] : b[0] & (0x7fu >> bytes);

	if (is_continuation(b[0]) || b[0] >= 0xf8)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if (!is_continuation(b[i])) /* the NUL at the end is none */
			return 0;
		character = character << 6 | (b[i] & 0x3f);
	}
	if (character < least[bytes] || character > 0x10ffff || character >> 11 == 0x1b)
		return 0;
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ? 0 : bytes;
}

void source_text_clean(char *to, size_t room, const char *from, bool keep_end)
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
