// SPDX-License-Identifier: Apache-2.0
/* Reading DWARF data in memory within bounds, and the names of its codes. A reader that would pass
 * its end sets `bad` and yields zeros: callers check once, at the end. */
#ifndef SCPROF_PRELOAD_UNWIND_DWARF_READ_H
#define SCPROF_PRELOAD_UNWIND_DWARF_READ_H

#include <stdbool.h>
#include <stdint.h>

/* Call-frame instructions (DWARF 5, section 7.24). Of the first three the upper two bits are the
 * instruction, and the lower six its operand. */
enum {
	DW_CFA_advance_loc = 1,
	DW_CFA_offset = 2,
	DW_CFA_restore = 3,
	DW_CFA_operand_bits = 6,
	DW_CFA_operand_mask = 0x3f,
	DW_CFA_nop = 0x00,
	DW_CFA_set_loc = 0x01,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_offset_sf = 0x15,
	DW_CFA_val_expression = 0x16,
	DW_CFA_AARCH64_set_ra_state = 0x2b,
	DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
	DW_CFA_AARCH64_negate_ra_state = 0x2d,
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f
};

/* Operations of expressions (DWARF 5, section 7.7.1). */
enum {
	DW_OP_addr = 0x03,
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const1s = 0x09,
	DW_OP_const2u = 0x0a,
	DW_OP_const2s = 0x0b,
	DW_OP_const4u = 0x0c,
	DW_OP_const4s = 0x0d,
	DW_OP_const8u = 0x0e,
	DW_OP_const8s = 0x0f,
	DW_OP_constu = 0x10,
	DW_OP_consts = 0x11,
	DW_OP_dup = 0x12,
	DW_OP_drop = 0x13,
	DW_OP_over = 0x14,
	DW_OP_pick = 0x15,
	DW_OP_swap = 0x16,
	DW_OP_rot = 0x17,
	DW_OP_abs = 0x19,
	DW_OP_and = 0x1a,
	DW_OP_div = 0x1b,
	DW_OP_minus = 0x1c,
	DW_OP_mod = 0x1d,
	DW_OP_mul = 0x1e,
	DW_OP_neg = 0x1f,
	DW_OP_not = 0x20,
	DW_OP_or = 0x21,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_shr = 0x25,
	DW_OP_shra = 0x26,
	DW_OP_xor = 0x27,
	DW_OP_bra = 0x28,
	DW_OP_eq = 0x29,
	DW_OP_ge = 0x2a,
	DW_OP_gt = 0x2b,
	DW_OP_le = 0x2c,
	DW_OP_lt = 0x2d,
	DW_OP_ne = 0x2e,
	DW_OP_skip = 0x2f,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
	DW_OP_bregx = 0x92,
	DW_OP_nop = 0x96
};

/* Encodings of pointers (LSB, section 10.5.1): the lower four bits say how the value is stored,
 * the next three what it is relative to. */
enum {
	DW_EH_PE_absptr = 0x00,
	DW_EH_PE_uleb128 = 0x01,
	DW_EH_PE_udata2 = 0x02,
	DW_EH_PE_udata4 = 0x03,
	DW_EH_PE_udata8 = 0x04,
	DW_EH_PE_sleb128 = 0x09,
	DW_EH_PE_sdata2 = 0x0a,
	DW_EH_PE_sdata4 = 0x0b,
	DW_EH_PE_sdata8 = 0x0c,
	DW_EH_PE_format = 0x0f,
	DW_EH_PE_pcrel = 0x10,
	DW_EH_PE_datarel = 0x30,
	DW_EH_PE_relative_to = 0x70,
	DW_EH_PE_indirect = 0x80,
	DW_EH_PE_omit = 0xff
};

struct dwarf_reader {
	const uint8_t *p, *end;
	bool bad;
	uint64_t shift; /* from `p` to its address in the process: 0 where that is this one */
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
 * the base of DW_EH_PE_datarel. DW_EH_PE_indirect is an error: no table that is read here has it.
 */
static inline uint64_t dwarf_pointer(struct dwarf_reader *r, uint8_t encoding, uint64_t data)
{
	uint64_t at = (uint64_t)r->p + r->shift, v;
	if (encoding == DW_EH_PE_omit)
		return 0;
	switch (encoding & DW_EH_PE_format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		v = dwarf_bytes(r, 8);
		break;
	case DW_EH_PE_uleb128:
		v = dwarf_uleb(r);
		break;
	case DW_EH_PE_udata2:
		v = dwarf_bytes(r, 2);
		break;
	case DW_EH_PE_udata4:
		v = dwarf_bytes(r, 4);
		break;
	case DW_EH_PE_sleb128:
		v = (uint64_t)dwarf_sleb(r);
		break;
	case DW_EH_PE_sdata2:
		v = (uint64_t)dwarf_signed(r, 2);
		break;
	case DW_EH_PE_sdata4:
		v = (uint64_t)dwarf_signed(r, 4);
		break;
	default:
		r->bad = true;
		return 0;
	}
	switch (encoding & DW_EH_PE_relative_to) {
	case DW_EH_PE_absptr:
		return v;
	case DW_EH_PE_pcrel:
		return v + at;
	case DW_EH_PE_datarel:
		return v + data;
	default:
		r->bad = true;
		return 0;
	}
}

#endif
