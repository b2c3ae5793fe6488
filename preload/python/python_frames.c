// SPDX-License-Identifier: Apache-2.0
/* The chain of frames. Since 3.11 one activation of the loop executes several of them: a _PyCFrame
 * (3.11), or an entry frame (since 3.12), both on the C stack, tell where one ends. */
#include "preload/python/python_private.h"
#include "preload/system/stack.h"

#define FRAME_BYTES  112 /* of all frames; what is read lies within */
#define CFRAME_BYTES 24
#define STATE_BYTES  1024 /* of a PyThreadState, at most */

/* Finds a circle in a chain (Brent 1980): each element is compared with one that was met when the
 * number of steps was a power of two. */
struct circle {
	uint64_t mark;
	uint32_t steps, until;
};

struct reading {
	struct scp_thread *t;
	const struct python_interpreter *p;
	struct python_stack *s;
	uint32_t depth, first; /* `first`: frame of the run in progress */
	struct circle frames, cframes;
};

enum step { STEP_ON, STEP_ENTRY, STEP_STOP };

static inline bool closes(struct circle *c, uint64_t at)
{
	if (at == c->mark)
		return true;
	if (c->steps++ == c->until) {
		c->mark = at;
		c->until = 2 * c->until + 1;
	}
	return false;
}

static inline bool note(const struct reading *r, uint64_t address, uint64_t *value)
{
	return python_state_note(r->t, address, value);
}

static inline bool is_entry(const struct python_layout *l, uint64_t frame)
{
	return l->has_entry_frame &&
	       *(const uint8_t *)(frame + l->frame_owner) >= PYTHON_ENTRY_FRAME;
}

static enum step stop(bool *why)
{
	*why = true;
	return STEP_STOP;
}

static enum step cut(struct reading *r)
{
	return stop(&r->s->cut);
}

/* How far the frame's word is in its bytecode, bytes; -1: nothing was executed. */
static int64_t instruction_at(const struct python_layout *l, uint64_t code, uint64_t word)
{
	int64_t at = l->instruction_is_index ? (int32_t)word * (int64_t)l->instruction_unit
					     : (int64_t)(word - (code + l->code_bytecode));
	return at < 0 ? -1 : at;
}

/* Is the function still being prepared? No traceback has such a frame. `code` is one. */
static bool is_preparing(const struct python_layout *l, uint64_t code, int64_t instruction)
{
	return l->code_first_traceable &&
	       instruction < 2 * (int64_t) * (const int32_t *)(code + l->code_first_traceable);
}

static struct python_row *row_at(struct scp_thread *t, uint64_t code, uint64_t instruction)
{
	uint64_t h = (code ^ instruction << 7) * UINT64_C(0x9e3779b97f4a7c15);
	return &t->python_rows.row[h >> 54];
}
_Static_assert(PYTHON_ROWS == 1u << (64 - 54), "the upper bits are the row");

/* A handler that leaves this for good leaves a row of no code. */
static const struct python_row *keep_row(struct python_row *row, const struct python_row *made)
{
	row->code = 0;
	compiler_barrier();
	*row = (struct python_row){0, made->known, made->serial, made->instruction, made->frame};
	compiler_barrier();
	row->code = made->code;
	return row;
}

/* NULL: no code object, or no room. */
static COLD const struct python_row *make_row(struct reading *r, struct python_row *row,
					      uint64_t code, uint64_t word)
{
	const struct python_layout *l = &r->p->layout;
	struct python_row made = {.code = code, .instruction = word};
	int64_t instruction = instruction_at(l, code, word);
	if (!python_object_is_code(r->t, l, code))
		return NULL;
	if (is_preparing(l, code, instruction)) {
		/* The interpreter's own code objects are there as long as it is. */
		if (code - r->p->start >= r->p->end - r->p->start)
			python_state_note_change(r->t);
		return keep_row(row, &made);
	}
	made.known = python_code_find(r->t, l, code);
	if (!made.known)
		return NULL;
	made.serial = made.known->serial;
	made.frame = python_code_line(r->t, l, made.known, instruction);
	return made.frame && made.serial ? keep_row(row, &made) : NULL;
}

static inline bool is_current(const struct python_row *row, uint64_t code, uint64_t word)
{
	return row->code == code && row->instruction == word && row->known &&
	       row->known->serial == row->serial;
}

/* One frame outwards: *next, where it does not stop. */
static enum step read_frame(struct reading *r, uint64_t frame, uint64_t *next)
{
	const struct python_layout *l = &r->p->layout;
	uint64_t code, word, serial;
	if (unlikely(closes(&r->frames, frame)) ||
	    unlikely(!python_can_follow(r->t, frame, FRAME_BYTES)))
		return cut(r);
	if (!note(r, frame + l->frame_code, &code))
		return stop(&r->s->full);
	code &= ~(uint64_t)l->code_tags;
	if (is_entry(l, frame))
		return note(r, frame + l->frame_previous, next) ? STEP_ENTRY : stop(&r->s->full);
	if (r->s->frames == PYTHON_FRAMES_MAX || r->s->frames >= r->depth) /* all are there */
		return stop(&r->s->full);
	if (l->minor <= 10 && *(const uint64_t *)(frame + l->object_type) != l->frame_type) {
		python_state_note_change(r->t);
		return cut(r);
	}
	word = *(const volatile uint64_t *)(frame + l->frame_instruction);
	const struct python_row *row = row_at(r->t, code, word);
	if (unlikely(!is_current(row, code, word)) &&
	    !(row = make_row(r, (struct python_row *)row, code, word))) {
		python_state_note_change(r->t);
		return cut(r);
	}
	if (row->known)
		r->s->frame[r->s->frames++] = row->frame;
	return (!row->known || note(r, (uint64_t)&row->known->serial, &serial)) &&
			       note(r, frame + l->frame_instruction, &word) &&
			       note(r, frame + l->frame_previous, next)
		       ? STEP_ON
		       : stop(&r->s->full);
}

/* The frames since the last run, of a loop that has `anchor` in its C frame. */
static bool end_run(struct reading *r, uint64_t anchor)
{
	struct python_stack *s = r->s;
	if (s->runs == PYTHON_FRAMES_MAX) {
		s->full = true;
		return false;
	}
	s->run[s->runs++] = (struct python_run){anchor, r->first, s->frames - r->first};
	r->first = s->frames;
	return true;
}

/* 3.8 to 3.10: an activation a frame. */
static void read_frame_objects(struct reading *r, uint64_t frame)
{
	while (frame && read_frame(r, frame, &frame) == STEP_ON)
		if (!end_run(r, 0))
			return;
}

/* Since 3.12. */
static void read_entry_frames(struct reading *r, uint64_t frame)
{
	enum step step = STEP_ENTRY;
	uint64_t next;
	for (; frame; frame = next) {
		step = read_frame(r, frame, &next);
		if (step == STEP_ENTRY && !next && r->p->layout.has_base_frame)
			break;
		if (step == STEP_STOP || (step == STEP_ENTRY && !end_run(r, frame)))
			break;
	}
	if (!frame && step == STEP_ON) /* nobody executes it */
		r->s->cut = true;
	if (r->s->frames > r->first)
		end_run(r, 0);
}

/* 3.11: the frames of an activation end where those of the one further out begin. */
static void read_cframes(struct reading *r, uint64_t cframe, uint64_t frame)
{
	const struct python_layout *l = &r->p->layout;
	uint64_t outer = 0, end = 0;
	for (; cframe; cframe = outer, frame = end) {
		enum step step = STEP_ON;
		if (!note(r, cframe + l->cframe_previous, &outer))
			r->s->full = true;
		else if (outer && (closes(&r->cframes, outer) ||
				   !python_can_follow(r->t, outer, CFRAME_BYTES)))
			r->s->cut = true;
		else if (outer && !note(r, outer + l->cframe_frame, &end))
			r->s->full = true;
		if (r->s->full || r->s->cut)
			return;
		end = outer ? end : 0;
		while (frame && frame != end && step == STEP_ON)
			step = read_frame(r, frame, &frame);
		if (step == STEP_ON && frame != end)
			step = cut(r);
		if ((outer || r->s->frames > r->first) && !end_run(r, cframe))
			return;
		if (step != STEP_ON)
			return;
	}
}

/* The innermost frame; where there is a _PyCFrame, that, too. False: garbage. */
static bool read_head(struct scp_thread *t, const struct python_layout *l, uint64_t state,
		      uint64_t *cframe, uint64_t *frame)
{
	uint64_t head;
	*cframe = *frame = 0;
	if (!python_can_follow(t, state, l->state_thread + 8u) ||
	    !python_state_note(t, state + l->state_frame, &head))
		return false;
	if (!l->has_cframe || !head) {
		*frame = head;
		return true;
	}
	*cframe = head;
	return python_can_follow(t, head, CFRAME_BYTES) &&
	       python_state_note(t, head + l->cframe_frame, frame);
}

/* Where garbage led need not be memory at the next call: no word of these frames is compared then,
 * and each page is asked about again. */
static COLD void forget_garbage(struct scp_thread *t, uint32_t noted)
{
	t->found.noted_count = noted;
	python_forget_pages(t);
	python_state_note_change(t);
}

void python_frames_read(struct scp_thread *t, const struct python_interpreter *p, uint64_t state,
			uint32_t depth)
{
	const struct python_layout *l = &p->layout;
	struct reading r = {.t = t,
			    .p = p,
			    .s = &t->python,
			    .depth = depth,
			    .frames.until = 1,
			    .cframes.until = 1};
	uint64_t cframe, frame;
	uint32_t noted = t->found.noted_count;
	if (!read_head(t, l, state, &cframe, &frame))
		t->python.cut = true;
	else if (l->has_entry_frame)
		read_entry_frames(&r, frame);
	else if (l->has_cframe)
		read_cframes(&r, cframe, frame);
	else
		read_frame_objects(&r, frame);
	/* A _PyCFrame lies on the stack, but for the first one, which is part of the state. */
	if (unlikely(t->python.cut) ||
	    unlikely(cframe && !frame && !stack_holds(cframe) && cframe - state >= STATE_BYTES))
		forget_garbage(t, noted);
}

uint64_t python_frames_innermost(struct scp_thread *t, const struct python_layout *l,
				 uint64_t state)
{
	uint64_t cframe, frame;
	if (!read_head(t, l, state, &cframe, &frame))
		return 0;
	for (unsigned i = 0; i < 8 && frame && python_can_follow(t, frame, FRAME_BYTES); i++) {
		if (!is_entry(l, frame))
			return frame;
		frame = *(const uint64_t *)(frame + l->frame_previous);
	}
	return 0;
}
