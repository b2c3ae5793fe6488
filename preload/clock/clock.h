// SPDX-License-Identifier: Apache-2.0
/* The clocks, behind one inline function; which one is chosen once a process.
 * A reading is an instant in the clock's own unit (see scprof_format.h). */
#pragma once

#include "arch.h"
#include "include/scprof_format.h"
#include "preload/system/util.h"

struct clock_choice {
	uint32_t kind;		       /* enum scp_clock_kind of the main clock */
	uint32_t slow_kind;	       /* dual: the second one; else SCP_CLOCK_NONE */
	const volatile uint64_t *page; /* the page clock's word */
	uint32_t requested;	       /* as asked for, DUAL included */
	uint32_t fallback;	       /* 1: what was asked for is not available */
	bool histograms;	       /* the main clock is fast enough for distributions */
	bool beside;	  /* a point reads a second clock, or may be delayed (causal/causal.h) */
	bool phases;	  /* where in the tick calls begin can be sampled: tick_phase.h */
	uint64_t tick_ns; /* of the coarse clock, where one is in use */
	struct scp_clock described; /* the main clock, as in the file when recording began */
};

extern HIDDEN struct clock_choice clock_chosen;

/* Choose by name (NULL or unknown: the default) with the page clock's file, if
 * any. Opens and closes files; call at start only. */
HIDDEN void clock_choose(const char *name, const char *page_path);

/* A session is over: the page's file is let go, its memory stays readable. */
HIDDEN void clock_forget(void);

/* False after prctl(PR_SET_TSC, PR_TSC_SIGSEGV), which is inherited: reading the
 * counter, and with it most clocks of the vDSO, would kill. */
HIDDEN bool clock_is_allowed(void);

/* Is a system call needed for each reading? */
HIDDEN bool clock_needs_system_calls(void);

/* Describe the chosen clocks, measured costs of reading included. */
HIDDEN void clock_describe(struct scp_clock *clock, struct scp_clock *slow);

/* The cost of a reading in picoseconds, measured now. */
HIDDEN uint64_t clock_read_cost_ps(uint32_t kind);

/* Pair a reading with CLOCK_MONOTONIC_RAW, the tightest of a few tries. */
HIDDEN void clock_anchor(uint32_t kind, struct scp_anchor *anchor);

/* How many units of the chosen clock pass in that time, rounded up; 0: none, or a counter's rate
 * is not known yet. At most half of the range. */
HIDDEN uint64_t clock_units_of(uint64_t ns);

/* Of a page clock: where its ticker made the latest tick, + 1; 0: not known. */
HIDDEN uint64_t clock_ticker_cpu(void);

/* Does it count ticks that are longer than a call? */
static inline bool clock_is_coarse(uint32_t kind)
{
	return kind == SCP_CLOCK_PAGE || kind == SCP_CLOCK_COARSE;
}

HIDDEN uint64_t clock_read_library(uint32_t kind);
HIDDEN uint64_t clock_mono_ns(void);

/* One of the system's clocks (CLOCK_*), in ns: by libc; by a system call of our own, which may be
 * refused (false). */
HIDDEN uint64_t clock_system_ns(int id);
HIDDEN bool clock_ask_kernel(int id, uint64_t *ns);

static inline __attribute__((always_inline)) uint64_t clock_read(uint32_t kind)
{
	if (likely(kind == SCP_CLOCK_TSC))
		return arch_counter();
	if (likely(kind == SCP_CLOCK_PAGE))
		return *clock_chosen.page;
	return clock_read_library(kind);
}
