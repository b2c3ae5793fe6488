// SPDX-License-Identifier: Apache-2.0
/* From a row of the full unwinder to one that fits half a cache line, if it is so simple. */
#include "preload/call/walk.h"
#include "preload/filter/filter.h"
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/python/python.h"
#include "preload/system/sys.h"

#define SETS_FIRST 128u
#define SETS_MOST  16384u

_Static_assert(sizeof(struct row_set) == 64, "a set is a cache line");

/* A handler that leaves this for good leaves at worst a table that nobody has. */
static bool grow(struct walk *w)
{
	uint32_t sets = w->rows ? 4 * w->sets : SETS_FIRST, old_sets = w->sets;
	struct row_set *old = w->rows;
	struct row_set *rows = sets <= SETS_MOST ? arena_map(sets * sizeof *rows) : NULL;
	w->filled = 0;
	if (!rows) {
		w->rows_lost = true;
		return false;
	}
	for (uint32_t i = 0; i < 2 * old_sets; i++) {
		const struct row *row = &old[i / 2].row[i % 2];
		struct row_set *to = &rows[row->pc * ROWS_HASH >> 32 & (sets - 1)];
		if (row->pc)
			to->row[to->row[0].pc != 0] = *row;
	}
	w->rows = rows;
	compiler_barrier(); /* never more sets than there are rows */
	w->sets = sets;
	if (old)
		arena_unmap(old, old_sets * sizeof *old);
	return true;
}

static bool to_words(int64_t offset, int16_t *out)
{
	*out = (int16_t)(offset / 8);
	return offset % 8 == 0 && *out == offset / 8;
}

/* What the full unwinder would do with this row, in a few numbers. */
static enum row_kind simplify(const struct unwind_row *from, struct row *to)
{
	const struct unwind_rule *ra = &from->rule[ARCH_RA], *fp = &from->rule[ARCH_FP];
	if (ra->kind == RULE_UNDEFINED)
		return ROW_END;
	to->cfa_offset = (int32_t)from->cfa_offset;
	if (from->cfa_expression || to->cfa_offset != from->cfa_offset || ra->kind != RULE_OFFSET ||
	    !to_words(ra->v, &to->ra_words) || from->rule[ARCH_SP].kind != RULE_SAME)
		return ROW_FULL;
	if (fp->kind != RULE_SAME &&
	    (fp->kind != RULE_OFFSET || !to_words(fp->v, &to->fp_words) || !to->fp_words))
		return ROW_FULL;
	return from->cfa_register == ARCH_SP   ? ROW_SP
	       : from->cfa_register == ARCH_FP ? ROW_FP
					       : ROW_FULL;
}

static bool make(struct scp_thread *t, uint64_t pc, struct row *out)
{
	struct unwind_cursor *c = &t->cursor;
	bool signal_frame;
	uint64_t ra;
	*out = (struct row){.pc = pc, .generation = t->generation};
	c->pc = pc;
	c->exact = false;
	c->work = &t->work;
	if (!unwind_find_row(c, &signal_frame, &ra))
		return false;
	out->kind =
		(uint8_t)(signal_frame || ra != ARCH_RA ? ROW_FULL : simplify(&t->work.row, out));
	if (c->uncalled && out->kind != ROW_END)
		out->kind = ROW_FULL;
	out->is_ours = modules_is_ours(pc);
	if (!out->is_ours)
		out->frame = modules_frame(pc, false);
	if (!out->is_ours && filter.python)
		out->python = (uint8_t)python_kind_of(pc);
	return true;
}

/* Make the row of a return address. NULL: there are no tables, or there is no room. */
COLD const struct row *walk_rows_make(struct scp_thread *t, uint64_t pc)
{
	struct walk *w = &t->walk;
	struct row row;
	if ((!w->rows && (w->rows_lost || !grow(w))) || !make(t, pc, &row))
		return NULL;
	if (w->filled >= w->sets + w->sets / 2 && !w->rows_lost)
		grow(w);
	struct row_set *s = walk_rows_set(w, pc);
	/* What a handler that leaves this for good leaves half-written has no address. */
	s->row[1].pc = 0;
	compiler_barrier();
	s->row[1] = s->row[0];
	compiler_barrier();
	s->row[0].pc = 0;
	compiler_barrier();
	row.pc = 0;
	s->row[0] = row;
	compiler_barrier();
	s->row[0].pc = pc;
	w->filled++;
	return &s->row[0];
}
