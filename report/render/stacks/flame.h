// SPDX-License-Identifier: GPL-3.0-or-later
/* Sites, and paths of what was computed, as a tree of callers, as flame graphs draw it.
 *
 * A box stands for a function where it was called from the same functions, whatever the line;
 * outermost callers lie at the top, the timed calls at the ends. What a function computed itself
 * has no box of its own: it is what the boxes below do not cover. Frames that only start a program
 * or a thread are left out. */
#pragma once

#include "report/report.h"
#include "report/containers/string_index.h"

enum flame_kind {
	FLAME_TOP,     /* of everything; the first box */
	FLAME_PROGRAM, /* a function of a program that ran */
	FLAME_LIBRARY, /* of another module */
	FLAME_INLINED, /* its code lies in the box above */
	FLAME_UNKNOWN, /* no name: the module and the offset, or an address */
	FLAME_CALL,    /* what was timed; no box below it */
	FLAME_WORK,    /* only where some functions wait: all paths to those that do not, all of
			  what was computed, */
	FLAME_WAITING, /* and all to those that do. The top has no other boxes then */
	FLAME_KINDS
};

/* The names of boxes; many share them. Texts are not yet clean; STRING_INDEX_NONE: none. */
struct flame_label {
	enum flame_kind kind;
	uint32_t name, module;
	uint32_t outcome; /* of a timed call that did not complete */
};

struct flame_box {
	uint32_t depth; /* 0: the top */
	enum flame_kind kind;
	uint32_t name, module; /* texts, not yet clean; STRING_INDEX_NONE: none */
	uint32_t outcome;      /* of a timed call that did not complete; else STRING_INDEX_NONE */
	uint32_t label;	       /* the same for boxes with the same of these four */
	uint32_t sites, site;  /* how many lie in it, and the first in the report's order */
	double value_ns;       /* estimated time of its calls; what is below 0 counts as 0 */
	double computing_ns;   /* CPU time outside of calls, by samples; it is wide by both */
	double share;	       /* of its calls, of the time of all threads; NAN if that is 0 */
	bool waits;	       /* lies in FLAME_WAITING */
	double mean_ns, low_ns, high_ns; /* of one call, warm-ups aside as in the sites */
	uint64_t calls, bytes;
	uint64_t aside; /* of these calls, warm-ups that the mean is without */
	bool has_bytes;
	unsigned unreliable;			  /* of any site in it (enum stats_unreliable) */
	double on_cpu_ns, runnable_ns, asleep_ns; /* of its calls' time; NAN: not known of all */
	uint32_t parent;
	double x_ns, next_ns; /* of a picture: its left edge, and of what is below it next */
};

/* Boxes in preorder: a box, then all below it; siblings widest first. A box of one site has
 * that site's mean and interval. One of several has the mean over their calls, and no interval; one
 * of none has no mean. */
struct flame {
	struct string_index *strings; /* borrowed */
	struct flame_box *box;
	uint32_t boxes;
	struct flame_label *label; /* by number */
	uint32_t labels;
	uint32_t *end;	   /* of each site of the report: the box of the timed call */
	uint32_t left_out; /* boxes, by flame_limit */
};

static inline double flame_width(const struct flame_box *b)
{
	return b->value_ns + b->computing_ns;
}

/* -1: out of memory. Symbolizes all frames. */
int flame_build(struct flame *f, struct report *r, struct string_index *strings);

/* Puts boxes, each of which lies behind its parent, in their order. -1: out of memory. */
int flame_order(struct flame *f, uint32_t sites);

/* Leaves out the narrowest of more than `most` boxes (1 at least): what is in them is in the box
 * around, which has its width as before. -1: out of memory. */
int flame_limit(struct flame *f, uint32_t sites, uint32_t most);
void flame_free(struct flame *f);
