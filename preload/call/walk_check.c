// SPDX-License-Identifier: Apache-2.0
/* Of its own, and cold: nobody who did not ask for it pays more than a test of second.one_in. The
 * scratch memory is static, because stacks may be small; who is between second_enter and
 * second_leave has it. */
#include <stddef.h>

#include "preload/call/full_walk.h"
#include "preload/call/walk_check.h"
#include "preload/filter/filter.h"
#include "preload/process/process.h"
#include "preload/second/second.h"

static struct {
	uint32_t turn;
	uint64_t signals; /* to be released */
	struct walk_result cached;
} state;

static void copy_result(struct walk_result *to, const struct walk_result *from)
{
	bytes_copy(to, from, offsetof(struct walk_result, frame));
	bytes_copy(to->frame, from->frame, from->frame_count * sizeof from->frame[0]);
	bytes_copy(to->noted, from->noted, from->noted_count * sizeof from->noted[0]);
}

static bool is_turn(void)
{
	struct scp_header *h = process.file->header;
	if (!h || __atomic_fetch_add(&state.turn, 1, __ATOMIC_RELAXED) % second.one_in)
		return false;
	return true;
}

static void count_walk(void)
{
	__atomic_add_fetch(&process.file->header->path_checks.cached_walks, 1, __ATOMIC_RELAXED);
}

COLD bool walk_check_begin(const struct scp_thread *t)
{
	uint64_t signals;
	if (!is_turn() || !second_enter(&signals))
		return false;
	state.signals = signals;
	copy_result(&state.cached, &t->found);
	return true;
}

/* Has `r` noted all that `other` has? Mostly in the same order. */
static bool has_words_of(const struct walk_result *r, const struct walk_result *other)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < other->noted_count; i++) {
		const struct noted_word *w = &other->noted[i];
		uint32_t tried = 0;
		while (tried < r->noted_count &&
		       (r->noted[at].address != w->address || r->noted[at].value != w->value)) {
			at = at + 1 < r->noted_count ? at + 1 : 0;
			tried++;
		}
		if (tried == r->noted_count)
			return false;
	}
	return true;
}

/* A full walk that has all frames that are kept reads no further. */
static bool words_differ(const struct walk_result *full, const struct walk_result *cached)
{
	if (!has_words_of(cached, full) || (full->used_fp && !cached->used_fp))
		return true;
	return !(full->flags & filter.full_flag) &&
	       (!has_words_of(full, cached) || full->used_fp != cached->used_fp);
}

/* SCP_DIFFERENCE_UNWINDER: in nothing. *at: the first frame in which they differ. */
static enum scp_path_difference_of compare(const struct walk_result *full,
					   const struct walk_result *cached, bool outer,
					   uint32_t *at)
{
	uint32_t common = least_of(full->frame_count, cached->frame_count);
	for (*at = 0; *at < common && full->frame[*at] == cached->frame[*at];)
		(*at)++;
	if (*at < full->frame_count || *at < cached->frame_count)
		return SCP_DIFFERENCE_FRAMES;
	if (full->flags != cached->flags || full->path.node != cached->path.node)
		return SCP_DIFFERENCE_END;
	if (full->is_below != cached->is_below ||
	    (outer && full->outer != OUTER_UNKNOWN && full->outer != cached->outer))
		return SCP_DIFFERENCE_OUTER;
	return words_differ(full, cached) ? SCP_DIFFERENCE_WORDS : SCP_DIFFERENCE_UNWINDER;
}

COLD void walk_check_end(struct scp_thread *t, const struct walk_start *from)
{
	const struct walk_result *full = &t->found, *cached = &state.cached;
	uint64_t signals = state.signals;
	uint32_t at;
	enum scp_path_difference_of of = compare(full, cached, from->outer != 0, &at);
	count_walk();
	if (of == SCP_DIFFERENCE_UNWINDER)
		copy_result(&t->found, cached);
	else
		second_tell(&(struct second_difference){
			.of = of,
			.at = at,
			.ours = cached->frame + at,
			.our_frames = cached->frame_count - at,
			.theirs = full->frame + at,
			.their_frames = full->frame_count - at,
		});
	second_leave(&signals);
}

COLD void walk_check_outer(struct scp_thread *t, const struct walk_start *from,
			   enum walk_outer outer)
{
	uint64_t signals;
	if (!is_turn() || !second_enter(&signals))
		return;
	enum walk_outer full = full_walk_look_for(t, from);
	count_walk();
	if (full != OUTER_UNKNOWN && full != outer)
		second_tell(&(struct second_difference){.of = SCP_DIFFERENCE_OUTER});
	second_leave(&signals);
}
