// SPDX-License-Identifier: GPL-3.0-or-later
/* What adds up over calls. Part of profile/profile.h, whose words on units and threads hold here,
 * too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/scprof_format.h"

/* Aligned as the two words are that a file has for it, the lower half first. */
typedef unsigned __int128 prof_u128 __attribute__((aligned(8)));

/* Copy neighbouring members from a record to the model, or back: in both they lie alike. */
#define PROF_RUN_BYTES(of, first, last)                                                            \
	(offsetof(__typeof__(*(of)), last) + sizeof(of)->last - offsetof(__typeof__(*(of)), first))
#define PROF_COPY_RUN(to, to_first, to_last, from, from_first, from_last)                          \
	({                                                                                         \
		_Static_assert(PROF_RUN_BYTES(to, to_first, to_last) ==                            \
				       PROF_RUN_BYTES(from, from_first, from_last),                \
			       "they lie alike");                                                  \
		memcpy((char *)(to) + offsetof(__typeof__(*(to)), to_first),                       \
		       (const char *)(from) + offsetof(__typeof__(*(from)), from_first),           \
		       PROF_RUN_BYTES(to, to_first, to_last));                                     \
	})

/* The sum, or the largest number where that does not fit. */
static inline uint32_t prof_add32(uint32_t a, uint64_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* act(a, b, member) for each of up to 16 members. */
#ifdef __cppcheck__ /* it does not know __VA_OPT__: the first member stands for all */
#define PROF_EACH(act, a, b, m, ...) act(a, b, m)
#else
#define PROF_EACH(act, a, b, ...) PROF_SCAN(PROF_EACH_ONE(act, a, b, __VA_ARGS__))
#define PROF_EACH_ONE(act, a, b, m, ...)                                                           \
	act(a, b, m) __VA_OPT__(PROF_EACH_AGAIN PROF_NOTHING(act, a, b, __VA_ARGS__))
#define PROF_EACH_AGAIN() PROF_EACH_ONE
#define PROF_NOTHING	  ()
#define PROF_SCAN(...)	  PROF_SCAN_4(PROF_SCAN_4(PROF_SCAN_4(PROF_SCAN_4(__VA_ARGS__))))
#define PROF_SCAN_4(...)  PROF_SCAN_1(PROF_SCAN_1(PROF_SCAN_1(PROF_SCAN_1(__VA_ARGS__))))
#define PROF_SCAN_1(...)  __VA_ARGS__
#endif
/* Copy these members of *from to *to; add them; take them off; keep the larger ones, or the
 * smaller; is one of *a less than of *b? How do *a and *b compare by the first that differs? Free
 * these members of *of, which are NULL then. */
#define PROF_SET(to, from, ...)	       (PROF_EACH(PROF_SET_ONE, to, from, __VA_ARGS__)(void) 0)
#define PROF_ADD(to, from, ...)	       (PROF_EACH(PROF_ADD_ONE, to, from, __VA_ARGS__)(void) 0)
#define PROF_SUBTRACT(to, from, ...)   (PROF_EACH(PROF_SUBTRACT_ONE, to, from, __VA_ARGS__)(void) 0)
#define PROF_MOST(to, from, ...)       (PROF_EACH(PROF_MOST_ONE, to, from, __VA_ARGS__)(void) 0)
#define PROF_LEAST(to, from, ...)      (PROF_EACH(PROF_LEAST_ONE, to, from, __VA_ARGS__)(void) 0)
#define PROF_ANY_LESS(a, b, ...)       (PROF_EACH(PROF_LESS_ONE, a, b, __VA_ARGS__) false)
#define PROF_ORDER(a, b, ...)	       (PROF_EACH(PROF_ORDER_ONE, a, b, __VA_ARGS__) 0)
#define PROF_FREE(of, ...)	       (PROF_EACH(PROF_FREE_ONE, of, , __VA_ARGS__)(void) 0)
#define PROF_ADD_ONE(to, from, m)      (to)->m += (from)->m,
#define PROF_SET_ONE(to, from, m)      (to)->m = (from)->m,
#define PROF_SUBTRACT_ONE(to, from, m) (to)->m -= (from)->m,
#define PROF_MOST_ONE(to, from, m)     (to)->m = (from)->m > (to)->m ? (from)->m : (to)->m,
#define PROF_LEAST_ONE(to, from, m)    (to)->m = (from)->m < (to)->m ? (from)->m : (to)->m,
#define PROF_LESS_ONE(a, b, m)	       (a)->m < (b)->m ||
#define PROF_ORDER_ONE(a, b, m)	       ((a)->m > (b)->m) - ((a)->m < (b)->m) ?:
#define PROF_FREE_ONE(of, nothing, m)  free((of)->m), (of)->m = NULL,

/* Sums of consecutive batches of `calls` calls each, oldest first; the calls
 * of an unfinished batch are not in it. */
struct prof_batches {
	uint64_t calls;
	uint32_t count; /* at most SCP_BATCHES; 0: too few calls, or no room was found */
	uint64_t *sum;	/* `count` of them, of the prof_sums that they are in; NULL: none */
};

/* A histogram of durations (histogram_bucket). */
struct prof_hist {
	uint64_t count[SCP_HIST_BLOCKS * SCP_HIST_BUCKETS];
};

/* The same as it is kept: the calls of one site are in one block or two. */
struct prof_blocks {
	uint64_t *block[SCP_HIST_BLOCKS]; /* of SCP_HIST_BUCKETS counts; NULL: zeros */
};

struct prof_slow {
	uint64_t units;
	prof_u128 units_sq;
	uint64_t max_units;
	struct prof_batches batches;
};

/* Where in the tick calls began (struct scp_phase). */
struct prof_phase {
	uint64_t count[SCP_PHASE_BINS];
};

/* Sums for the line of time on size: slot i is about the calls of slot i of `batches`
 * (struct scp_line). Beyond batches.count they mean nothing. */
struct prof_line {
	uint64_t bytes[SCP_BATCHES];
	prof_u128 bytes_sq[SCP_BATCHES], bytes_units[SCP_BATCHES];
};

/* Calls by octaves of their duration: slot i is about the calls of slot i of `batches` (struct
 * scp_tail). A slot of zeros is not known; octaves and batches beyond their numbers are zero or
 * mean nothing. */
struct prof_tail {
	uint32_t first, octaves; /* 2 octaves at least */
	uint32_t calls[SCP_BATCHES][SCP_TAIL_OCTAVES];
};

/* Unbatched calls, where they are several stretches: ends of threads' calls, and all calls of
 * threads that made too few. Sums over the stretches, of n calls and t units each. */
struct prof_apart {
	uint64_t stretches;
	prof_u128 calls_sq;    /* n^2 */
	prof_u128 calls_units; /* n t */
	prof_u128 units_sq;    /* t^2 */
	prof_u128 slow_calls_units, slow_units_sq;
};

/* By batches (struct scp_state_batches): slot i is about the calls of slot i of `batches`. */
struct prof_state_batches {
	uint64_t calls[SCP_BATCHES], units[SCP_BATCHES];
	uint64_t known[SCP_BATCHES], weighted[SCP_BATCHES];
	uint64_t runnable_ns[SCP_BATCHES], asleep_ns[SCP_BATCHES];
};

/* Calls that were switched, and where their time went (struct scp_states). */
struct prof_states {
	uint32_t detector;		 /* enum scp_switch_detector, never NONE */
	uint64_t from_calls, from_units; /* what is not covered: from an earlier detector, or summed
					    from entries of which nothing is known */
	uint64_t calls, units;
	prof_u128 units_sq;
	uint64_t readings, switched_weighted;
	struct scp_off_cpu off_cpu;
	prof_u128 runnable_sq, asleep_sq, runnable_asleep, units_runnable, units_asleep;
	/* What the kernel's account of the thread has added to the estimates of all calls; ns. */
	double moved_runnable, moved_asleep;
	struct prof_state_batches *batches;	   /* NULL: none */
	struct prof_blocks *hist[SCP_STATE_HISTS]; /* each NULL: no calls */
};

/* Durations of a site's calls, in order, where they are few: struct scp_first_calls. */
struct prof_first_calls {
	uint32_t calls; /* 2 to SCP_FIRST_CALLS; slots beyond are 0 */
	uint64_t units[SCP_FIRST_CALLS];
};

/* Everything that adds up over calls. */
struct prof_sums {
	uint64_t calls, units;
	prof_u128 units_sq;
	uint64_t max_units, min_units;
	uint64_t first_at, last_at; /* meaningful within one process only */
	uint64_t bytes;
	prof_u128 bytes_sq, bytes_units;
	uint64_t first_units; /* of the call at first_at */
	uint64_t max_at;      /* like last_at: when the longest call ended; 0: not known */
	uint64_t inner_calls; /* recorded intervals inside these, at any depth */
	bool has_bytes;
	bool hist_of_one; /* one call, of a fast clock: hist_find makes its histogram */
	struct prof_batches batches;
	struct prof_apart *apart; /* NULL: the calls in no batch are one stretch, or not known to be
				     several (a file does not say) */
	struct prof_blocks *hist; /* NULL: slow clock, or none recorded, or hist_of_one, or first */
	struct prof_first_calls *first; /* all calls, of a fast clock; NULL: not so */
	struct prof_slow *slow;		/* NULL: not dual */
	struct prof_phase *phase;	/* NULL: not sampled */
	struct prof_line *line;	      /* NULL: sizes that are all equal, or not known by batches */
	struct prof_tail *tail;	      /* NULL: too few calls, or not recorded */
	struct prof_states *states;   /* NULL: no call was switched, or that is not known: see
					 `detector` */
	uint32_t detector;	      /* enum scp_switch_detector of these calls; NONE: not known */
	uint64_t way_calls[SCP_WAYS]; /* by enum scp_way; all 0: not known */
};

/* dst += src, as if the calls of src had followed those of dst. Batches of
 * different size are first brought to the same size, and lines with them (batches.h
 * says when the sum has a line). Calls of different kinds of detectors have no states together;
 * states that there is no memory for are not known. -1: out of memory. */
int sums_add(struct prof_sums *dst, const struct prof_sums *src);
/* The histogram of the calls, in *room; NULL: there is none. */
const struct prof_hist *hist_find(const struct prof_sums *s, struct prof_hist *room);
static inline bool hist_is_known(const struct prof_sums *s)
{
	return s->hist || s->hist_of_one || s->first;
}
static inline uint64_t hist_count(const struct prof_blocks *of, uint32_t bucket)
{
	const uint64_t *count = of->block[bucket / SCP_HIST_BUCKETS];

	return count ? count[bucket % SCP_HIST_BUCKETS] : 0;
}
void sums_clear(struct prof_sums *s);
/* The same for sums that nobody will look at again: what is in them stays there. */
void sums_free(struct prof_sums *s);
