// SPDX-License-Identifier: Apache-2.0
/* From the registers of a frame to its caller's, by a row of call-frame information. */
#include "preload/unwind/unwind.h"

static bool frame_address(struct unwind_cursor *c, uint64_t *cfa)
{
	const struct unwind_row *row = &c->work->row;
	if (row->cfa_expression)
		return unwind_expr_evaluate(c, row->cfa_expression, false, 0, cfa);
	if (!unwind_register_get(c, row->cfa_register, cfa))
		return false;
	*cfa += (uint64_t)row->cfa_offset;
	return true;
}

/* The place of register `i` in the calling frame. */
static bool apply_rule(struct unwind_cursor *c, unsigned i, uint64_t cfa,
		       struct unwind_register *out)
{
	const struct unwind_rule *rule = &c->work->row.rule[i];
	bool in_memory = rule->kind == RULE_OFFSET || rule->kind == RULE_EXPRESSION;
	uint64_t from = rule->kind == RULE_SAME ? i : (uint64_t)rule->v;
	*out = (struct unwind_register){cfa + from, in_memory ? UNWIND_MEMORY : UNWIND_VALUE};
	switch (rule->kind) {
	case RULE_UNDEFINED:
		*out = (struct unwind_register){0, UNWIND_UNKNOWN};
		return true;
	case RULE_OFFSET:
	case RULE_VAL_OFFSET:
		return true;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
		return unwind_expr_evaluate(c, from, true, cfa, &out->v);
	default: /* RULE_SAME, RULE_REGISTER */
		if (from < ARCH_REGS)
			*out = c->reg[from];
		return from < ARCH_REGS;
	}
}

enum unwind_result unwind_row_apply(struct unwind_cursor *c, bool signal_frame, uint64_t ra_column)
{
	struct unwind_register *next = c->work->next;
	const struct unwind_row *row = &c->work->row;
	uint64_t cfa, ra;

	if (ra_column != ARCH_RA)
		return UNWIND_CUT;
	if (row->rule[ARCH_RA].kind == RULE_UNDEFINED)
		return UNWIND_END;
	if (!frame_address(c, &cfa)) {
		c->no_row = true;
		return UNWIND_CUT;
	}
	/* A caller's frame lies above; only a signal can have come from another stack. */
	if (!signal_frame && cfa < c->cfa)
		return UNWIND_CUT;
	for (unsigned i = 0; i < ARCH_REGS; i++)
		if (!apply_rule(c, i, cfa, &next[i]))
			return UNWIND_CUT;
	if (row->rule[ARCH_SP].kind == RULE_SAME)
		next[ARCH_SP] = (struct unwind_register){cfa, UNWIND_VALUE};
	if (row->rule[ARCH_FP].kind != RULE_SAME)
		c->fp_is_start = false;
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] = next[i];
	if (c->reg[ARCH_RA].place == UNWIND_UNKNOWN)
		return UNWIND_CUT; /* same value: never stored, so not known here */
	if (!unwind_register_get(c, ARCH_RA, &ra))
		return UNWIND_CUT;
	ra = ARCH_STRIP_RA(ra);
	c->reg[ARCH_RA].place = UNWIND_UNKNOWN;
	if (ra == 0)
		return UNWIND_END;
	if (!signal_frame && cfa == c->cfa && ra == c->pc)
		return UNWIND_CUT; /* no progress */
	c->cfa = cfa;
	c->pc = ra;
	c->exact = signal_frame;
	return UNWIND_STEPPED;
}
