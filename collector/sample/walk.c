// SPDX-License-Identifier: GPL-3.0-or-later
/* A sample's stack is walked over the piece that was copied of it and the files that were mapped.
 * What is innermost decides what the sample is of: a recorded call, where a wrapper of ours has
 * called something; recording, where we are innermost ourselves; else computing. */
#include <string.h>

#include "collector/sample/sample_private.h"
#include "profile/base/array.h"

#define AT_ONCE 1024u

struct copy {
	struct memory_copy memory; /* first: some() is given its address */
	const struct sample_images *images;
	const struct sample_life *life;
	const struct sample_stack *stack;
};

static size_t read_file(const struct copy *c, uint64_t at, void *to, size_t bytes)
{
	const struct safe_point_objects *o = &c->life->objects;
	size_t above;

	BISECT(above, o->count, o->object[above].base <= at);
	if (!above || at >= o->object[above - 1].end)
		return 0;
	return image_read(&c->images->image[c->life->image[above - 1]],
			  at - o->object[above - 1].bias, to, bytes);
}

static size_t read_copy(const struct memory_copy *from, uint64_t at, void *to, size_t bytes)
{
	const struct copy *c = (const struct copy *)(const void *)from;
	uint64_t into = at - c->stack->at;

	if (into >= c->stack->count)
		return read_file(c, at, to, bytes);
	if (bytes > c->stack->count - into)
		bytes = c->stack->count - into;
	bytes = bytes < AT_ONCE ? bytes : AT_ONCE; /* few stacks are as deep as their piece */
	memcpy(to, c->stack->bytes + into, bytes);
	return bytes;
}

static struct prof_frame frame_of(const struct sample_life *life, const struct safe_point_frame *f)
{
	bool named = f->object != NULL;

	return (struct prof_frame){.offset = f->at + !f->stopped - (named ? f->object->bias : 0),
				   .exact = f->stopped,
				   .module = named ? life->image[f->object - life->objects.object]
						   : PROF_NO_MODULE,
				   .heuristic = f->heuristic};
}

static bool is_ours(const struct safe_point_frame *f)
{
	return f->object != NULL && f->object->kind == SAFE_POINT_OURS;
}

/* What our innermost frame is: a wrapper in a call that it records, one that lets a call pass, or
 * anything else of ours, which works for itself. */
static uint32_t kind_of(const struct copy *c, const struct safe_point_stack *k)
{
	const struct sample_image *image;
	size_t i = 0;

	while (i < k->count && !is_ours(&k->frame[i]))
		i++;
	if (i == k->count)
		return SCP_SAMPLE_COMPUTING;
	image = &c->images->image[c->life->image[k->frame[i].object - c->life->objects.object]];
	uint64_t at = k->frame[i].at - k->frame[i].object->bias;
	if (i > 0 && at - image->recorded < image->recorded_bytes)
		return SCP_SAMPLE_IN_CALL;
	return i > 0 && at - image->passed < image->passed_bytes ? SCP_SAMPLE_COMPUTING
								 : SCP_SAMPLE_RECORDING;
}

/* Frames of machine code, with Python's in the places of the C functions that execute them. What
 * the interpreter does for the innermost Python function stays; between Python frames it is left
 * out, as on the paths of calls. */
static void put_frames(const struct copy *c, const struct safe_point_stack *k,
		       struct profile *names, struct sample_path *path)
{
	const struct sample_life *life = c->life;
	bool python = false;
	size_t held = 0;

	for (size_t i = 0; i < k->count && path->frames < SCP_MAX_FRAMES; i++) {
		const struct safe_point_frame *f = &k->frame[i];
		const struct safe_point_held *h = &k->held[held];
		bool loop = held < k->helds && h->frame == i;
		enum python_found found =
			loop ? python_frames(life->python, h, held++ == 0, c->stack, names, path)
			     : PYTHON_UNKNOWN;
		python |= found != PYTHON_UNKNOWN;
		if (found == PYTHON_CUT && path->frames < SCP_MAX_FRAMES) {
			path->flags |= SCP_PATH_CUT;
			return;
		}
		if (found == PYTHON_UNKNOWN && !is_ours(f) &&
		    (!python || !f->object ||
		     !python_is_own(life->python, life->image[f->object - life->objects.object])))
			path->frame[path->frames++] = frame_of(life, f);
	}
	if (k->count > SCP_MAX_FRAMES || path->frames == SCP_MAX_FRAMES)
		path->flags |= SCP_PATH_TRUNCATED;
	else if (k->end != SAFE_POINT_WHOLE)
		path->flags |= SCP_PATH_CUT;
}

void walk_sample(const struct sample_images *images, struct sample_life *life,
		 const struct sample_stack *stack, struct profile *names, struct sample_path *path)
{
	static _Thread_local struct safe_point_stack k;
	const struct copy c = {{read_copy}, images, life, stack};

	k.innermost = stack->registers;
	python_loop(life->python, k.watched);
	k.window.pid = life->objects.pid;
	k.window.bytes = 0;
	memory_read_from(&c.memory);
	frames_walk_copy(&life->objects, life->rows, &k);
	memory_read_from(NULL);
	path->kind = kind_of(&c, &k);
	path->frames = path->flags = 0;
	if (path->kind == SCP_SAMPLE_COMPUTING)
		put_frames(&c, &k, names, path);
}
