// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal_key.h"
#include "preload/function/function.h"
#include "preload/function/region_name.h"
#include "preload/function/selected.h"
#include "preload/process/arena.h"
#include "preload/process/modules.h"
#include "preload/table/path_tree.h"

#define UNSEEN (SCP_PATH_TRUNCATED | SCP_PATH_LIMITED | SCP_PATH_SMALL_STACK) /* outer frames */

/* Of SOURCE records, by id; what lies beyond is known by its id alone. */
#define FUNCTIONS 65536u
#define LINES	  262144u
static struct source {
	uint64_t function[FUNCTIONS], line[LINES];
} * source;

/* The room is made once, with a page only: most of it is never touched. */
static struct source *find_source(void)
{
	if (!source && causal_page)
		__atomic_store_n(&source, arena_map(sizeof *source), __ATOMIC_RELEASE);
	return source;
}

void causal_key_note_function(uint32_t id, uint64_t hash)
{
	struct source *to = id < FUNCTIONS ? find_source() : NULL;
	if (to)
		to->function[id] = hash;
}

void causal_key_note_line(uint32_t id, uint32_t function, int32_t line)
{
	struct source *to = id < LINES && function < FUNCTIONS ? find_source() : NULL;
	if (to)
		__atomic_store_n(&to->line[id], hash_mix(to->function[function] + (uint32_t)line),
				 __ATOMIC_RELAXED);
}

static uint64_t source_of(uint64_t id)
{
	const struct source *from = __atomic_load_n(&source, __ATOMIC_ACQUIRE);
	return from && id < LINES ? __atomic_load_n(&from->line[id], __ATOMIC_RELAXED) : id;
}

static const char *name_of(uint32_t function, const char **library)
{
	uint32_t group;
	*library = "";
	if (function < FN_COUNT)
		return function_shown(function, &group);
	if (function - FN_COUNT < selected_count())
		return selected_name(function - FN_COUNT);
	return function >= REGION_FIRST && function < REGION_FIRST + REGION_NAMES_MAX
		       ? region_name_text(function, library, &group)
		       : NULL;
}

static uint64_t add(uint64_t hash, uint64_t word)
{
	return hash_mix(hash * 31 + word);
}

static uint64_t add_frame(uint64_t hash, uint64_t frame)
{
	uint32_t module = SCP_FRAME_MODULE(frame);
	uint64_t offset = SCP_FRAME_OFFSET(frame);
	if (module == SCP_FRAME_SOURCE)
		return add(add(hash, 1), source_of(offset));
	return add(add(hash, modules_identity(module)), offset);
}

/* The innermost frame of the program's language, or else the innermost frame. */
static uint64_t find_site(const struct scp_thread *t, uint32_t node)
{
	uint64_t frame, first;
	uint32_t out = path_tree_out(t, node, &first);
	frame = first;
	while (out && SCP_FRAME_MODULE(frame) != SCP_FRAME_SOURCE)
		out = path_tree_out(t, out, &frame);
	return SCP_FRAME_MODULE(frame) == SCP_FRAME_SOURCE ? frame : first;
}

bool causal_key_make(struct causal_key *k, const struct scp_thread *t, const struct scp_site *s,
		     uint32_t by)
{
	const char *library;
	uint32_t out = s->node;
	k->name = name_of(s->function, &library);
	if (!k->name || !out)
		return false;
	k->hash = text_hash(text_hash(TEXT_HASH, k->name, SIZE_MAX) * 31, library, SIZE_MAX);
	k->in_handler = path_tree_flags(t, out) & UNSEEN;
	while (out) {
		uint64_t frame;
		out = path_tree_out(t, out, &frame);
		k->in_handler |= SCP_FRAME_EXACT(frame);
		if (by != SCP_CAUSAL_BY_SITE && by != SCP_CAUSAL_BY_FUNCTION)
			k->hash = add_frame(k->hash, frame);
	}
	if (by == SCP_CAUSAL_BY_SITE)
		k->hash = add_frame(k->hash, find_site(t, s->node));
	k->hash = add(k->hash, k->in_handler);
	k->hash += !k->hash;
	return true;
}
