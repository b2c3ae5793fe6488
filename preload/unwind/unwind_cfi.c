// SPDX-License-Identifier: Apache-2.0
/* Call-frame information: from the instructions of an entry of .eh_frame to the row that holds at a
 * program counter. */
#include "preload/unwind/unwind.h"

struct cie {
	uint64_t code_align, ra_column;
	int64_t data_align;
	uint8_t fde_encoding;
	bool augmented, signal_frame;
	struct dwarf_reader instructions;
};

static bool parse_augmentation(const char *text, struct cie *cie, struct dwarf_reader *r)
{
	if (text[0] != 'z')
		return text[0] == 0;
	cie->augmented = true;
	uint64_t length = dwarf_uleb(r);
	if (length > (uint64_t)(r->end - r->p))
		return false;
	struct dwarf_reader a = {.p = r->p, .end = r->p + length, .shift = r->shift};
	dwarf_skip(r, length);
	for (text++; *text; text++) {
		if (*text == 'R')
			cie->fde_encoding = (uint8_t)dwarf_bytes(&a, 1);
		else if (*text == 'L')
			dwarf_bytes(&a, 1);
		else if (*text == 'P') {
			uint8_t encoding = (uint8_t)dwarf_bytes(&a, 1);
			dwarf_pointer(&a, encoding & ~DW_EH_PE_indirect, 0);
		} else if (*text == 'S')
			cie->signal_frame = true;
		else if (*text != 'B' && *text != 'G') /* key of signed addresses; tagged memory */
			return false;
	}
	return !a.bad;
}

static bool parse_cie(struct dwarf_reader r, struct cie *cie)
{
	if (dwarf_bytes(&r, 4) != 0)
		return false;
	*cie = (struct cie){0};
	uint64_t version = dwarf_bytes(&r, 1);
	if (version != 1 && version != 3)
		return false;
	const char *text = (const char *)r.p;
	while (dwarf_bytes(&r, 1))
		;
	cie->code_align = dwarf_uleb(&r);
	cie->data_align = dwarf_sleb(&r);
	cie->ra_column = version == 1 ? dwarf_bytes(&r, 1) : dwarf_uleb(&r);
	if (r.bad || !parse_augmentation(text, cie, &r))
		return false;
	cie->instructions = r;
	return !r.bad;
}

/* The entry that covers `pc`: its code, and *r over its instructions. */
static bool find_entry(struct unwind_cursor *c, uint64_t pc, struct cie *cie,
		       struct dwarf_reader *r, uint64_t *start, uint64_t *bytes)
{
	struct unwind_entry e;
	if (!unwind_memory_find_entry(c, pc, &e) || !parse_cie(e.cie, cie))
		return false;
	*r = e.fde;
	*start = dwarf_pointer(r, cie->fde_encoding, 0);
	*bytes = dwarf_pointer(r, cie->fde_encoding & DW_EH_PE_format, 0);
	if (r->bad || pc < *start || pc - *start >= *bytes)
		return false;
	if (cie->augmented)
		dwarf_skip(r, dwarf_uleb(r));
	return !r->bad;
}

struct machine {
	struct unwind_work *work;
	const struct cie *cie;
	uint64_t loc, pc;
	unsigned depth;
};

static void set_rule(struct machine *m, uint64_t reg, uint32_t kind, int64_t v)
{
	if (reg < ARCH_REGS)
		m->work->row.rule[reg] = (struct unwind_rule){v, kind};
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->work->row.cfa_register = (uint32_t)reg;
	m->work->row.cfa_offset = offset;
	m->work->row.cfa_expression = 0;
}

/* An offset that is written in units. In a crafted table the product may not fit. */
static int64_t scale(const struct machine *m, uint64_t units)
{
	return (int64_t)(units * (uint64_t)m->cie->data_align);
}

static uint64_t take_block(struct dwarf_reader *r)
{
	uint64_t at = (uint64_t)r->p + r->shift;
	dwarf_skip(r, dwarf_uleb(r));
	return at;
}

/* DW_CFA_remember_state and DW_CFA_restore_state. The CFA is part of the state. */
static bool keep_state(struct machine *m, bool remember)
{
	if (m->depth == (remember ? UNWIND_STATE_DEPTH : 0))
		return false;
	if (remember)
		m->work->remembered[m->depth++] = m->work->row;
	else
		m->work->row = m->work->remembered[--m->depth];
	return true;
}

/* What follows an instruction that sets a register's rule. */
enum operand { NO_RULE, NOTHING, NUMBER, UNITS, SIGNED_UNITS, NEGATIVE_UNITS, BLOCK };

static int64_t take_operand(const struct machine *m, struct dwarf_reader *r, enum operand kind)
{
	return kind == NUMBER		? (int64_t)dwarf_uleb(r)
	       : kind == UNITS		? scale(m, dwarf_uleb(r))
	       : kind == SIGNED_UNITS	? scale(m, (uint64_t)dwarf_sleb(r))
	       : kind == NEGATIVE_UNITS ? scale(m, -dwarf_uleb(r))
	       : kind == BLOCK		? (int64_t)take_block(r)
					: 0;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < ARCH_REGS)
		m->work->row.rule[reg] = m->work->initial.rule[reg];
}

/* Instructions that set the rule of a register, by an extended opcode. */
static bool run_register_op(struct machine *m, struct dwarf_reader *r, uint8_t op)
{
	static const struct {
		uint8_t rule, operand;
	} ops[DW_CFA_operand_mask + 1] = {
		[DW_CFA_offset_extended] = {RULE_OFFSET, UNITS},
		[DW_CFA_undefined] = {RULE_UNDEFINED, NOTHING},
		[DW_CFA_same_value] = {RULE_SAME, NOTHING},
		[DW_CFA_register] = {RULE_REGISTER, NUMBER},
		[DW_CFA_expression] = {RULE_EXPRESSION, BLOCK},
		[DW_CFA_offset_extended_sf] = {RULE_OFFSET, SIGNED_UNITS},
		[DW_CFA_val_offset] = {RULE_VAL_OFFSET, UNITS},
		[DW_CFA_val_offset_sf] = {RULE_VAL_OFFSET, SIGNED_UNITS},
		[DW_CFA_val_expression] = {RULE_VAL_EXPRESSION, BLOCK},
		[DW_CFA_GNU_negative_offset_extended] = {RULE_OFFSET, NEGATIVE_UNITS},
	};
	uint64_t reg = dwarf_uleb(r);
	if (op == DW_CFA_restore_extended)
		restore(m, reg);
	else if (ops[op].operand)
		set_rule(m, reg, ops[op].rule, take_operand(m, r, ops[op].operand));
	return op == DW_CFA_restore_extended || ops[op].operand;
}

/* Instructions that define the CFA. */
static bool run_cfa_op(struct machine *m, struct dwarf_reader *r, uint8_t op)
{
	uint64_t reg = m->work->row.cfa_register;
	switch (op) {
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		reg = dwarf_uleb(r);
		/* fall through */
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(m, reg,
			take_operand(m, r,
				     op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_offset
					     ? NUMBER
					     : SIGNED_UNITS));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(m, dwarf_uleb(r), m->work->row.cfa_offset);
		return true;
	case DW_CFA_def_cfa_expression:
		m->work->row.cfa_expression = take_block(r);
		return true;
	default:
		return false;
	}
}

static bool run_other_op(struct machine *m, struct dwarf_reader *r, uint8_t op)
{
	switch (op) {
	case DW_CFA_set_loc:
		m->loc = dwarf_pointer(r, m->cie->fde_encoding, 0);
		return true;
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
		m->loc += dwarf_bytes(r, 1u << (op - DW_CFA_advance_loc1)) * m->cie->code_align;
		return true;
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return keep_state(m, op == DW_CFA_remember_state);
	/* Whether the return address is signed: a code that it may have is always stripped.
	 * GNU_window_save has the code of negate_ra_state, which elfutils 0.176 lacks. */
	case DW_CFA_AARCH64_set_ra_state:
		dwarf_uleb(r);
		dwarf_sleb(r);
		return true;
	case DW_CFA_GNU_args_size:
		dwarf_uleb(r);
		return true;
	default:
		return op == DW_CFA_nop || op == DW_CFA_GNU_window_save ||
		       op == DW_CFA_AARCH64_negate_ra_state_with_pc;
	}
}

/* Run instructions until they pass m->pc. */
static bool run(struct machine *m, struct dwarf_reader r)
{
	while (r.p < r.end && m->loc <= m->pc) {
		uint8_t op = (uint8_t)dwarf_bytes(&r, 1), low = op & DW_CFA_operand_mask;
		switch (op & ~DW_CFA_operand_mask) {
		case DW_CFA_advance_loc:
			m->loc += low * m->cie->code_align;
			break;
		case DW_CFA_offset:
			set_rule(m, low, RULE_OFFSET, scale(m, dwarf_uleb(&r)));
			break;
		case DW_CFA_restore:
			restore(m, low);
			break;
		default:
			if (!run_cfa_op(m, &r, op) && !run_other_op(m, &r, op) &&
			    !run_register_op(m, &r, op))
				return false;
		}
		if (r.bad)
			return false;
	}
	return true;
}

bool unwind_cfi_find_range(uint64_t pc, uint64_t *start, uint64_t *end)
{
	struct dwarf_reader instructions;
	struct cie cie;
	if (!find_entry(NULL, pc, &cie, &instructions, start, end))
		return false;
	*end += *start;
	return true;
}

bool unwind_cfi_find_row(struct unwind_cursor *c, bool *signal_frame, uint64_t *ra)
{
	struct dwarf_reader instructions;
	struct cie cie;
	uint64_t start, bytes, pc = c->exact ? c->pc : c->pc - 1;

	c->uncalled = false;
	if (!find_entry(c, pc, &cie, &instructions, &start, &bytes)) {
		/* A start routine that nobody called is "returned to" at its first byte. */
		pc = c->pc;
		c->uncalled = true;
		if (c->exact || !find_entry(c, pc, &cie, &instructions, &start, &bytes))
			return false;
	}
	struct machine m = {c->work, &cie, 0, ~UINT64_C(0), 0};
	c->work->row = (struct unwind_row){.cfa_register = ARCH_REGS};
	if (!run(&m, cie.instructions))
		return false;
	c->work->initial = c->work->row;
	c->start = start;
	m = (struct machine){c->work, &cie, start, pc, 0};
	if (!run(&m, instructions))
		return false;
	*signal_frame = cie.signal_frame;
	*ra = cie.ra_column;
	return true;
}
