// SPDX-License-Identifier: GPL-3.0-or-later
/* Which Python functions a sample is in. The copied stack tells, of its own instant, what each C
 * frame of the interpreter's loop executes: a register or a word of that frame holds the next
 * instruction, within the bytecode of one code object. Which place that is depends on the build, so
 * it is learnt: the one that most often agrees with what the thread's own state says some
 * microseconds later. Since 3.11 callers need no C frame: they are read from memory, or from the
 * chain that came with the sample, from a frame on whose place is learnt likewise. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/kernel_file.h"
#include "collector/sample/python_private.h"

#define LEARNT	    256u	      /* samples */
#define FRESH_NS    UINT64_C(1000000) /* older ones teach nothing */
#define MOST_LINES  262144u	      /* as the library's */
#define BEST	    3u
#define WORK	    2048u /* objects and frames that are read for one sample, at most */
#define WATCH_SHARE 20u	  /* states are asked for in at most such a part of the time */
#define MOST_VAIN   10u	  /* times that a pause for that doubles, while no chain comes */

bool python_ages(const struct sample_python *y)
{
	return y && y->ages;
}

bool python_is_own(const struct sample_python *y, uint32_t image)
{
	return y && y->alone && y->image == image;
}

void python_loop(const struct sample_python *y, struct safe_point_place loop[2])
{
	static const struct interpreter none;

	memcpy(loop, y ? y->interpreter.loop : none.loop, sizeof(none.loop));
}

/* The place that has the most hits, fewer than `most`, and one in four of the best at least. */
static size_t best_place(const uint32_t hit[PLACES], const struct words *w, uint32_t most,
			 uint32_t least)
{
	size_t best = PLACES;

	for (size_t i = 0; i < PLACES; i++)
		if (w->of[i] && hit[i] < most && hit[i] > least &&
		    (best == PLACES || hit[i] > hit[best]))
			best = i;
	return best;
}

/* What the activation executes, and behind which instruction; NULL: not known. `search`: it may be
 * code that was not seen yet. */
static const struct interpreter_code *find_code(struct sample_python *y, const struct words *w,
						bool search, uint64_t now_ns, uint64_t *next)
{
	const uint32_t *hit = y->places->instruction[w->calling];
	const struct interpreter_code *c = NULL;
	uint32_t most = UINT32_MAX, least = 0;

	for (unsigned i = 0; i < BEST && !c; i++) {
		size_t place = best_place(hit, w, most, least);

		if (place == PLACES)
			return NULL;
		*next = w->of[place];
		c = code_at(y, *next - 1, now_ns);
		if (!c && search && i == 0 &&
		    (*next != y->vain || now_ns - y->vain_ns >= CHECK_NS)) {
			c = code_search(y, w, *next - 1, now_ns);
			y->vain = c ? 0 : *next;
			y->vain_ns = now_ns;
		}
		most = hit[place];
		least = most / 4;
	}
	return c;
}

static void read_words(const struct safe_point_held *h, const struct sample_stack *stack,
		       struct words *w)
{
	*w = (struct words){.calling = h->frame > 0};
	memcpy(w->of, h->of, sizeof(h->of));
	w->of[ARCH_SP] = 0;
	for (uint64_t i = 0, at = h->end; i < SLOTS && at >= h->start + 8; i++) {
		at -= 8;
		if (at - stack->at <= stack->count - 8 && stack->count >= 8)
			memcpy(&w->of[ARCH_REGS + i], stack->bytes + (at - stack->at), 8);
	}
}

static void list(struct sample_python *y, pid_t tid)
{
	y->tid = tid;
	y->inner_tid = proc_inner_pid(tid) ?: tid;
	interpreter_list(&y->interpreter, &y->inner_tid, 1);
}

/* From now on the kernel is to copy the thread's frames. */
static void watch(struct sample_python *y, const struct sample_stack *stack)
{
	if (!stack->events || stack->events->chains.fail || stack->now_ns < y->watch_ns)
		return;
	list(y, stack->tid);
	uint64_t state = interpreter_state(&y->interpreter, y->inner_tid);

	y->watch_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW);
	y->watch_ns += (WATCH_SHARE << y->watches) * (y->watch_ns - stack->now_ns);
	y->watches += y->watches < MOST_VAIN;
	if (state)
		chain_watch(stack->events, y->interpreter.pid, stack->tid, state,
			    &y->interpreter.layout);
}

/* What the thread's state says now is mostly what it said at the sample; a chain says it. */
static void learn(struct sample_python *y, const struct words *w, const struct sample_stack *stack)
{
	struct sample_places *s = y->places;
	const struct interpreter_chain *chain = stack->chain;
	struct interpreter_frame now;

	if (s->samples == LEARNT || (!chain && stack->age_ns > FRESH_NS))
		return;
	if (!chain && y->tid != stack->tid)
		list(y, stack->tid);
	uint64_t first =
		chain ? chain->frame[0].address : interpreter_first(&y->interpreter, y->inner_tid);
	const struct interpreter_code *c =
		interpreter_read(&y->interpreter, first, true, &y->memory, &now, 1)
			? code_of(y, now.code, stack->now_ns)
			: NULL;

	if (!c)
		return;
	s->samples++;
	for (size_t i = 0; i < PLACES; i++) {
		uint64_t word = w->of[i], *last = &s->last[w->calling][i];

		s->frame[w->calling][i] += word == now.address;
		if (word - 1 - c->start >= c->end - c->start || word == *last)
			continue;
		s->instruction[w->calling][i]++;
		*last = word;
	}
}

static bool add_frame(struct sample_python *y, const struct interpreter_code *c, int64_t at,
		      struct profile *names, struct sample_path *path)
{
	uint64_t key = (c->identity ^ (uint64_t)at * PYTHON_HASH) | 1;
	struct prof_frame frame = {0};
	uint32_t i = (uint32_t)(key * PYTHON_HASH >> 40) & (PYTHON_NAMES - 1);

	if (y->name[i].key != key) {
		if (names->source_lines >= MOST_LINES)
			return false;
		y->name[i].named = interpreter_name(&y->interpreter, c->code, at, names, &frame);
		y->name[i].frame = frame;
		y->name[i].key = key;
	}
	if (y->name[i].named && path->frames < SCP_MAX_FRAMES)
		path->frame[path->frames++] = y->name[i].frame;
	return true;
}

/* A sample's innermost activation, before any other of it. */
static void begin_sample(struct sample_python *y, const struct words *w,
			 const struct sample_stack *stack)
{
	bool callers = y->interpreter.layout.code_bytecode;

	y->left = WORK;
	y->memory = (struct interpreter_memory){.chain = stack->chain,
						.stack = stack->bytes,
						.stack_at = stack->at,
						.stack_bytes = stack->count};
	y->ages = !stack->chain && (callers || y->places->samples < LEARNT);
	y->watches = stack->chain ? 0 : y->watches;
	if (y->ages && callers)
		watch(y, stack);
	learn(y, w, stack);
}

/* Since 3.11: the frames that the activation executes, from the innermost one outwards. */
static size_t read_frames(struct sample_python *y, const struct words *w, uint64_t now_ns,
			  struct interpreter_frame frame[INTERPRETER_FRAMES])
{
	size_t place = best_place(y->places->frame[w->calling], w, UINT32_MAX, 0);
	size_t most = y->left < INTERPRETER_FRAMES ? y->left : INTERPRETER_FRAMES;

	if (!y->interpreter.layout.code_bytecode || place == PLACES)
		return 0;
	size_t count =
		interpreter_read(&y->interpreter, w->of[place], true, &y->memory, frame, most);

	y->left -= (unsigned)count;
	if (count) /* is mostly the one */
		code_of(y, frame[0].code, now_ns);
	return count;
}

/* Where the callers of what an activation executes begin among its frames. In between calls a chain
 * may have one frame more than the activation has begun to execute, or one less; frames that were
 * read later may have any. Above `count`: they are not known. */
static size_t find_callers(const struct interpreter_frame *frame, size_t count, bool chain,
			   uint64_t code)
{
	if (!count || frame[0].code == code)
		return count > 0;
	if (!chain)
		return count + 1;
	return count > 1 && frame[1].code == code ? 2 : 0;
}

enum python_found python_frames(struct sample_python *y, const struct safe_point_held *h,
				bool first, const struct sample_stack *stack, struct profile *names,
				struct sample_path *path)
{
	static _Thread_local struct interpreter_frame frame[INTERPRETER_FRAMES];
	uint64_t next = 0, now_ns = stack->now_ns;
	struct words w;

	read_words(h, stack, &w);
	if (first)
		begin_sample(y, &w, stack);
	size_t count = read_frames(y, &w, now_ns, frame);
	const struct interpreter_code *c = find_code(y, &w, !stack->chain || !count, now_ns, &next);
	int64_t at = c ? (int64_t)(next - 2 - c->start) : 0;

	if (!c && count) {
		c = code_of(y, frame[0].code, now_ns);
		at = frame[0].at;
	}
	if (!c || !add_frame(y, c, at < c->prepared ? c->prepared : at, names, path))
		return PYTHON_UNKNOWN;
	if (!y->interpreter.layout.code_bytecode)
		return PYTHON_WHOLE;
	if (first && stack->chain && (!count || frame[0].code != c->code))
		watch(y, stack); /* the thread's state may be another than it was */
	size_t i = find_callers(frame, count, stack->chain, c->code);
	bool whole = count && i <= count && frame[count - 1].ends;

	for (; i < count; i++) {
		c = code_of(y, frame[i].code, now_ns);
		if (!c || !add_frame(y, c, frame[i].at, names, path))
			return PYTHON_CUT;
	}
	return whole ? PYTHON_WHOLE : PYTHON_CUT;
}

/* Is it an interpreter, as far as the process that has it can be read? */
static bool is_python(struct sample_image *i, pid_t pid, uint64_t base)
{
	struct safe_point_object o;
	uint32_t magic;

	if (!i->examined && memory_read(pid, base, &magic, sizeof(magic))) {
		i->examined = true;
		if (objects_read_tables(&o, pid, base) && symbols_find(&o, pid, "_PyRuntime"))
			i->places = calloc(1, sizeof(*i->places));
	}
	return i->places != NULL;
}

struct sample_python *python_open(struct sample_images *images, const struct sample_life *l)
{
	const struct safe_point_objects *o = &l->objects;

	for (size_t k = 0; k < o->count; k++) {
		struct sample_image *i = &images->image[l->image[k]];
		uint64_t base = o->object[k].base;

		if (!is_python(i, l->pid, base))
			continue;
		struct sample_python *y = calloc(1, sizeof(*y));

		if (!y || !objects_read_tables(&y->object, l->pid, base)) {
			free(y);
			return NULL;
		}
		PROF_SET(&y->object, &o->object[k], frame, frames, frame_header); /* the image's */
		interpreter_open(&y->interpreter, l->pid, &y->object, 1);
		y->places = i->places;
		y->image = l->image[k];
		y->alone = interpreter_is_named(i->path);
		return y;
	}
	return NULL;
}

void python_free(struct sample_python *y)
{
	if (!y)
		return;
	PROF_FREE(y, interpreter.thread, code);
	free(y);
}
