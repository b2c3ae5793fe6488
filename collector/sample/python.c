// SPDX-License-Identifier: GPL-3.0-or-later
/* Which Python functions a sample is in. The copied stack tells, of its own instant, what each C
 * frame of the interpreter's loop executes: a register or a word of that frame holds the next
 * instruction, within the bytecode of one code object. Which place that is depends on the build, so
 * it is learnt: the one that most often agrees with what the thread's own state says some
 * microseconds later. Since 3.11 callers need no C frame: they are read from memory, from a frame
 * on whose place is learnt likewise. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"
#include "profile/base/kernel_file.h"
#include "collector/python/interpreter.h"
#include "collector/sample/sample_private.h"
#include "profile/base/array.h"
#include "profile/base/bisect.h"

#define LEARNT	     256u	       /* samples */
#define FRESH_NS     UINT64_C(1000000) /* older ones teach nothing */
#define CHECK_NS     UINT64_C(500000000)
#define MOST_CODES   65536u
#define MOST_LINES   262144u /* as the library's */
#define NAMES	     4096u   /* a power of two */
#define PAGE_BYTES   4096u
#define SEARCH_PAGES 16u /* before an instruction, for its code object */
#define SEARCH_TRIES 8u
#define BEST	     3u
#define WORK	     2048u /* objects and frames that are read for one sample, at most */
#define MOST_VAIN    10u   /* times that a pause for that doubles, while no chain comes */
#define WATCH_SHARE  20u   /* states are asked for in at most such a part of the time */
#define HASH	     UINT64_C(0x9e3779b97f4a7c15)

struct known_code {
	struct interpreter_code c;
	uint64_t checked_ns;
};

struct sample_python {
	struct safe_point_object object;
	struct interpreter interpreter;
	uint32_t image;
	bool alone;
	pid_t tid, inner_tid;
	bool ages;
	unsigned watches;		  /* since the last chain */
	uint64_t watch_ns;		  /* not before that for a thread's state again */
	unsigned left;			  /* of WORK */
	struct sample_places *places;	  /* the image's */
	struct interpreter_memory memory; /* as it is for one sample */
	struct known_code *code;	  /* by where their bytecode begins */
	uint32_t codes, code_room;
	struct {
		uint64_t key;
		struct prof_frame frame;
		bool named;
	} name[NAMES];
	uint64_t vain, vain_ns; /* behind which instruction no code was found, and when */
};

bool python_ages(const struct sample_python *y)
{
	return y && y->ages;
}

bool python_is_own(const struct sample_python *y, uint32_t image)
{
	return y && y->alone && y->image == image;
}

struct safe_point_place python_loop(const struct sample_python *y)
{
	return y ? y->interpreter.loop : (struct safe_point_place){0};
}

static uint32_t find_before(const struct sample_python *y, uint64_t at)
{
	uint32_t low;

	BISECT(low, y->codes, y->code[low].c.start <= at);
	return low;
}

static void forget(struct sample_python *y, uint32_t i)
{
	y->codes--;
	memmove(&y->code[i], &y->code[i + 1], (y->codes - i) * sizeof(*y->code));
}

/* Instead of those whose memory it has now. */
static const struct interpreter_code *keep(struct sample_python *y,
					   const struct interpreter_code *c, uint64_t now_ns)
{
	struct known_code *grown = array_room(y->code, &y->code_room, y->codes, sizeof(*grown));
	uint32_t at = find_before(y, c->start);

	if (!grown || y->codes == MOST_CODES)
		return NULL;
	y->code = grown;
	while (at < y->codes && y->code[at].c.start < c->end)
		forget(y, at);
	while (at > 0 && y->code[at - 1].c.end > c->start)
		forget(y, --at);
	memmove(&y->code[at + 1], &y->code[at], (y->codes - at) * sizeof(*y->code));
	y->codes++;
	y->code[at] = (struct known_code){*c, now_ns};
	return &y->code[at].c;
}

/* The known code object whose bytecode holds an address; NULL: none. */
static const struct interpreter_code *code_at(struct sample_python *y, uint64_t at, uint64_t now_ns)
{
	uint32_t i = find_before(y, at);
	struct known_code *k = &y->code[i - 1];
	struct interpreter_code now;

	if (!i || at >= k->c.end)
		return NULL;
	if (now_ns - k->checked_ns < CHECK_NS)
		return &k->c;
	if (interpreter_code(&y->interpreter, k->c.code, &now) && now.identity == k->c.identity) {
		k->checked_ns = now_ns;
		return &k->c;
	}
	forget(y, i - 1);
	return NULL;
}

/* The code object at `code`, where its bytecode holds `at`, unless that is 0. */
static const struct interpreter_code *take_code(struct sample_python *y, uint64_t code, uint64_t at,
						uint64_t now_ns)
{
	struct interpreter_code c;

	if (!y->left)
		return NULL;
	y->left--;
	return interpreter_code(&y->interpreter, code, &c) &&
			       (!at || at - c.start < c.end - c.start)
		       ? keep(y, &c, now_ns)
		       : NULL;
}

static const struct interpreter_code *code_of(struct sample_python *y, uint64_t code,
					      uint64_t now_ns)
{
	uint64_t bytecode = y->interpreter.layout.code_bytecode;
	const struct interpreter_code *c = bytecode ? code_at(y, code + bytecode, now_ns) : NULL;

	return c && c->code == code ? c : take_code(y, code, 0, now_ns);
}

/* Since 3.11 a code object ends in its bytecode: its beginning lies before. */
static const struct interpreter_code *search_before(struct sample_python *y, uint64_t at,
						    uint64_t now_ns)
{
	const struct python_layout *l = &y->interpreter.layout;
	uint64_t page = at & ~(uint64_t)(PAGE_BYTES - 1), word[PAGE_BYTES / 8];
	size_t words = (at - page) / 8 + 1;
	unsigned tries = 0;

	for (unsigned i = 0; i < SEARCH_PAGES; i++, page -= PAGE_BYTES, words = PAGE_BYTES / 8) {
		y->left -= y->left > 0;
		if (!y->left || !memory_read(y->interpreter.pid, page, word, 8 * words))
			return NULL;
		for (size_t k = words; k-- > 0;) {
			if (word[k] != l->code_type)
				continue;
			const struct interpreter_code *c =
				take_code(y, page + 8 * k - l->object_type, at, now_ns);

			if (c || ++tries == SEARCH_TRIES)
				return c;
		}
	}
	return NULL;
}

/* Before, the loop's frame has the code object, or a frame object of it. */
static const struct interpreter_code *search_words(struct sample_python *y, const struct words *w,
						   uint64_t at, uint64_t now_ns)
{
	const struct interpreter *p = &y->interpreter;
	const struct interpreter_code *c = NULL;
	uint64_t code;

	for (size_t i = 0; i < PLACES && !c; i++) {
		if (!w->of[i] || w->of[i] % 8)
			continue;
		c = take_code(y, w->of[i], at, now_ns);
		if (!c && memory_read(p->pid, w->of[i] + p->layout.frame_code, &code, sizeof(code)))
			c = take_code(y, code, at, now_ns);
	}
	return c;
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
			c = y->interpreter.layout.code_bytecode
				    ? search_before(y, *next - 1, now_ns)
				    : search_words(y, w, *next - 1, now_ns);
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
	uint64_t number = 0;

	y->tid = tid;
	proc_status_numbers(tid, "NSpid", 10, &number, 1);
	y->inner_tid = tid;
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
	uint64_t key = (c->identity ^ (uint64_t)at * HASH) | 1;
	struct prof_frame frame = {0};
	uint32_t i = (uint32_t)(key * HASH >> 40) & (NAMES - 1);

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
		interpreter_open(&y->interpreter, l->pid, &y->object, 1);
		y->places = i->places;
		y->image = l->image[k];
		y->alone = interpreter_is_named(i->path);
		if (!y->interpreter.object)
			y->interpreter.loop.bytes = 0;
		return y;
	}
	return NULL;
}

void python_free(struct sample_python *y)
{
	if (!y)
		return;
	free(y->interpreter.thread);
	free(y->code);
	free(y);
}
