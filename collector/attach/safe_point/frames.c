// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/safe_point_private.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_HELD 4096u	     /* a power of two */
#define WORK	  (1u << 20) /* bytes of unwind tables read for one stack: memory.c */
#define SIGNALS	  16

enum row_kind { ROW_NONE, ROW_PLAIN, ROW_SIGNAL, ROW_MISSING };

struct held_row {
	uint64_t at; /* 0: none */
	enum row_kind kind;
	bool after_call, signal;
	uint64_t return_column;
	struct unwind_row row;
};

struct safe_point_rows {
	struct held_row row[ROWS_HELD];
};

struct safe_point_rows *frames_rows(void)
{
	return calloc(1, sizeof(struct safe_point_rows));
}

void frames_forget(struct safe_point_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
}

static bool at_restorer(pid_t pid, uint64_t pc)
{
	uint8_t code[SAFE_POINT_RESTORER_MOST];
	size_t bytes = machine_restorer_bytes;
	return memory_read(pid, pc, code, bytes) && memcmp(code, machine_restorer, bytes) == 0;
}

/* A walk in progress. */
struct walk {
	struct safe_point_rows *rows;
	struct safe_point_stack *stack;
	struct unwind_cursor cursor;
	struct unwind_work work;
	struct unwind_memory memory;
};

static void set_registers(struct walk *w, const struct safe_point_registers *r)
{
	struct unwind_cursor *c = &w->cursor;
	unwind_register_begin(c, r->pc, r->of[ARCH_SP], r->of[ARCH_FP]);
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] = (struct unwind_register){r->of[i], UNWIND_VALUE};
	/* of x86-64 the program counter is one of them */
	if (ARCH_REGS == ARCH_RA + 1)
		c->reg[ARCH_RA].place = UNWIND_UNKNOWN;
	c->exact = true;
}

/* The row of the frame that the cursor is at. */
static const struct held_row *row_of(struct walk *w)
{
	struct unwind_cursor *c = &w->cursor;
	pid_t pid = w->stack->window.pid;
	uint64_t key = 2 * (c->pc - !c->exact) + c->exact;
	struct held_row *r =
		&w->rows->row[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (ROWS_HELD - 1)];
	if (r->at == key && w->memory.object != NULL) /* generated code may be other code by now */
		return r;
	r->at = key;
	r->after_call = c->exact || machine_after_call(pid, c->pc);
	if (at_restorer(pid, c->pc))
		r->kind = ROW_SIGNAL;
	else if (unwind_cfi_find_row(c, &r->signal, &r->return_column) && !c->uncalled)
		r->kind = ROW_PLAIN;
	else
		r->kind = ROW_MISSING;
	if (!w->memory.work) /* unknown this time only */
		r->at = 0;
	r->row = w->work.row;
	return r;
}

/* One frame outwards. */
static enum unwind_result step(struct walk *w, const struct held_row *r)
{
	struct unwind_cursor *c = &w->cursor;
	uint64_t before = c->cfa;
	w->work.row = r->row;
	enum unwind_result result = unwind_row_apply(c, r->signal, r->return_column);
	/* A leaf of AArch64 has its caller's stack pointer. */
	if (result == UNWIND_STEPPED && c->cfa <= before &&
	    (c->cfa < before || r->row.rule[ARCH_RA].kind != RULE_SAME))
		return UNWIND_CUT;
	return result;
}

static void note_frame(struct safe_point_stack *s, const struct safe_point_object *object,
		       uint64_t at, bool stopped)
{
	s->frame[s->count++] =
		(struct safe_point_frame){.at = at,
					  .object = object,
					  .stopped = stopped,
					  .symbol = object != NULL ? symbols_at(object, at) : NULL};
}

static bool step_signal(struct walk *w)
{
	struct safe_point_registers r;
	if (!machine_signal(&w->stack->window, w->stack->rest, &r, &w->stack->alternate))
		return false;
	set_registers(w, &r);
	return w->stack->signal = true;
}

static enum safe_point_end follow(const struct safe_point_objects *o, struct walk *w)
{
	struct safe_point_stack *s = w->stack;
	struct unwind_cursor *c = &w->cursor;
	unsigned signals = 0;
	while (s->count < SAFE_POINT_FRAMES && unwind_register_get(c, ARCH_SP, &s->rest)) {
		uint64_t at = c->exact ? c->pc : c->pc - 1;
		w->memory.object = objects_find(o, at);
		const struct held_row *row = row_of(w);
		if (!w->memory.work)
			return SAFE_POINT_ASTRAY;
		if (row->kind == ROW_SIGNAL) {
			if (signals++ == SIGNALS || !step_signal(w))
				return SAFE_POINT_ASTRAY;
			continue;
		}
		if (!row->after_call)
			return SAFE_POINT_ASTRAY;
		note_frame(s, w->memory.object, at, c->exact);
		if (row->kind == ROW_MISSING)
			return c->exact ? SAFE_POINT_ASTRAY : SAFE_POINT_GENERATED;
		enum unwind_result result = step(w, row);
		if (result != UNWIND_STEPPED)
			return result == UNWIND_END ? SAFE_POINT_WHOLE : SAFE_POINT_ASTRAY;
	}
	return SAFE_POINT_ASTRAY;
}

bool frames_libc(const struct safe_point_object *o)
{
	return o != NULL && (o->kind == SAFE_POINT_LIBC || o->kind == SAFE_POINT_PTHREAD);
}

static void note_entered(const struct safe_point_objects *o, struct safe_point_stack *s)
{
	size_t i = 0;
	s->entered = NULL;
	while (i < s->count && frames_libc(s->frame[i].object) && s->frame[i].symbol == NULL)
		i++;
	if (i == 0 || i >= s->count || s->frame[i].object == NULL ||
	    frames_libc(s->frame[i].object))
		return;
	uint64_t at = machine_called(o->pid, s->frame[i].at + 1);
	const struct safe_point_object *object = objects_find(o, at);
	const struct safe_point_symbol *f = frames_libc(object) ? symbols_at(object, at) : NULL;
	s->entered = f != NULL && f->start == at ? f : NULL;
}

bool frames_walk(const struct safe_point_objects *o, struct safe_point_rows *rows, pid_t tid,
		 struct safe_point_stack *s)
{
	struct walk w = {.rows = rows, .stack = s, .memory = {.window = &s->window, .work = WORK}};
	if (!machine_registers(tid, &s->innermost))
		return false;
	w.cursor.work = &w.work;
	w.cursor.context = &w.memory;
	set_registers(&w, &s->innermost);
	s->count = 0;
	s->signal = false;
	s->alternate.bytes = 0;
	s->window.pid = o->pid;
	s->window.bytes = 0;
	s->end = follow(o, &w);
	note_entered(o, s);
	return true;
}
