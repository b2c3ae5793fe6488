// SPDX-License-Identifier: Apache-2.0
/* Reading DWARF data in memory within bounds. A reader that would pass its end sets `bad` and
 * yields zeros: callers check once, at the end. The names of codes are elfutils', a header without
 * code. */
#pragma once

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>

#define DW_CFA_operand_mask		       0x3f /* of the three instructions that have one */
#define DW_CFA_AARCH64_set_ra_state	       0x2b
#define DW_CFA_AARCH64_negate_ra_state_with_pc 0x2c

/* Encodings of pointers: how the value is stored, and what it is relative to. */
#define DW_EH_PE_format	     0x0f
#define DW_EH_PE_relative_to 0x70

struct dwarf_reader {
	const uint8_t *p, *end;
	bool bad;
	uint64_t shift; /* from `p` to its address in the process: 0 where that is this one */
};

static inline void dwarf_skip(struct dwarf_reader *r, uint64_t n)
{
	if ((uint64_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
	} else {
		r->p += n;
	}
}

static inline uint64_t dwarf_bytes(struct dwarf_reader *r, unsigned n)
{
	const uint8_t *from = r->p;
	uint64_t v = 0;
	dwarf_skip(r, n);
	for (unsigned i = 0; !r->bad && i < n; i++)
		v |= (uint64_t)from[i] << (8 * i);
	return v;
}

static inline int64_t dwarf_signed(struct dwarf_reader *r, unsigned n)
{
	uint64_t v = dwarf_bytes(r, n);
	unsigned shift = 64 - 8 * n;
	return (int64_t)(v << shift) >> shift;
}

static inline uint64_t dwarf_leb(struct dwarf_reader *r, bool is_signed)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint64_t b = dwarf_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
		if (r->bad || !(b & 0x80))
			return is_signed && shift < 64 && (b & 0x40) ? v | ~UINT64_C(0) << shift
								     : v;
	}
}

static inline uint64_t dwarf_uleb(struct dwarf_reader *r)
{
	return dwarf_leb(r, false);
}

static inline int64_t dwarf_sleb(struct dwarf_reader *r)
{
	return (int64_t)dwarf_leb(r, true);
}

/* A pointer in one of the encodings DW_EH_PE_* (LSB, section 10.5). `data` is the base of
 * DW_EH_PE_datarel. DW_EH_PE_indirect is an error: no table that is read here has it. */
static inline uint64_t dwarf_pointer(struct dwarf_reader *r, uint8_t encoding, uint64_t data)
{
	static const uint8_t bytes[16] = {
		[DW_EH_PE_absptr] = 8, [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4,
		[DW_EH_PE_udata8] = 8, [DW_EH_PE_sdata2] = 2, [DW_EH_PE_sdata4] = 4,
		[DW_EH_PE_sdata8] = 8};
	uint8_t format = encoding & DW_EH_PE_format, to = encoding & DW_EH_PE_relative_to;
	uint64_t at = (uint64_t)r->p + r->shift, v;
	if (encoding == DW_EH_PE_omit)
		return 0;
	if (bytes[format])
		v = format & DW_EH_PE_signed ? (uint64_t)dwarf_signed(r, bytes[format])
					     : dwarf_bytes(r, bytes[format]);
	else if (format == DW_EH_PE_uleb128 || format == DW_EH_PE_sleb128)
		v = dwarf_leb(r, format & DW_EH_PE_signed);
	else
		to = DW_EH_PE_relative_to;
	if (to == DW_EH_PE_absptr || to == DW_EH_PE_pcrel || to == DW_EH_PE_datarel)
		return v + (to == DW_EH_PE_pcrel ? at : to == DW_EH_PE_datarel ? data : 0);
	r->bad = true;
	return 0;
}
