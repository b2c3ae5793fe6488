// SPDX-License-Identifier: Apache-2.0
/* Reading DWARF data in memory within bounds. A reader that would pass its end
 * sets `bad` and yields zeros: callers check once, at the end. */
#ifndef SCPROF_PRELOAD_UNWIND_DWARF_READ_H
#define SCPROF_PRELOAD_UNWIND_DWARF_READ_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf_reader {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t dwarf_bytes(struct dwarf_reader *r, unsigned n)
{
	uint64_t v = 0;
	if ((uint64_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)r->p[i] << (8 * i);
	r->p += n;
	return v;
}

static inline int64_t dwarf_signed(struct dwarf_reader *r, unsigned n)
{
	uint64_t v = dwarf_bytes(r, n);
	unsigned shift = 64 - 8 * n;
	return (int64_t)(v << shift) >> shift;
}

static inline uint64_t dwarf_uleb(struct dwarf_reader *r)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t b = dwarf_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		if (r->bad || !(b & 0x80))
			return v;
	}
}

static inline int64_t dwarf_sleb(struct dwarf_reader *r)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint64_t b = dwarf_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
		if (r->bad || !(b & 0x80)) {
			if (shift < 64 && (b & 0x40))
				v |= ~UINT64_C(0) << shift;
			return (int64_t)v;
		}
	}
}

static inline void dwarf_skip(struct dwarf_reader *r, uint64_t n)
{
	if ((uint64_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
	} else {
		r->p += n;
	}
}

/* A pointer in one of the encodings DW_EH_PE_* (LSB, section 10.5). `data` is
 * the base of "datarel". Indirect pointers are followed only if `follow`. */
static inline uint64_t dwarf_pointer(struct dwarf_reader *r, uint8_t encoding, uint64_t data)
{
	uint64_t at = (uint64_t)r->p, v;
	if (encoding == 0xff)
		return 0;
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		v = dwarf_bytes(r, 8);
		break;
	case 0x01:
		v = dwarf_uleb(r);
		break;
	case 0x02:
		v = dwarf_bytes(r, 2);
		break;
	case 0x03:
		v = dwarf_bytes(r, 4);
		break;
	case 0x09:
		v = (uint64_t)dwarf_sleb(r);
		break;
	case 0x0a:
		v = (uint64_t)dwarf_signed(r, 2);
		break;
	case 0x0b:
		v = (uint64_t)dwarf_signed(r, 4);
		break;
	default:
		r->bad = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case 0x00:
		return v;
	case 0x10:
		return v + at;
	case 0x30:
		return v + data;
	default:
		r->bad = true;
		return 0;
	}
}

#endif
