// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point_bytes.h"

#include <string.h>

const uint8_t *safe_point_bytes_take(struct safe_point_bytes *r, uint64_t bytes)
{
	if (r->bad || bytes > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		return NULL;
	}
	const uint8_t *p = r->at;
	r->at += bytes;
	r->there += bytes;
	return p;
}

uint64_t safe_point_bytes_fixed(struct safe_point_bytes *r, size_t bytes, bool negative)
{
	uint64_t value = 0;
	const uint8_t *p = safe_point_bytes_take(r, bytes);
	if (p == NULL)
		return 0;
	memcpy(&value, p, bytes);
	if (negative && bytes < 8 && (p[bytes - 1] & 0x80) != 0)
		value |= ~UINT64_C(0) << (8 * bytes);
	return value;
}

uint64_t safe_point_bytes_leb(struct safe_point_bytes *r, bool negative)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		const uint8_t *p = safe_point_bytes_take(r, 1);
		if (p == NULL)
			return 0;
		if (shift < 64)
			value |= (uint64_t)(*p & 0x7f) << shift;
		if ((*p & 0x80) == 0) {
			if (negative && (*p & 0x40) != 0 && shift + 7 < 64)
				value |= ~UINT64_C(0) << (shift + 7);
			return value;
		}
	}
	r->bad = true;
	return 0;
}
