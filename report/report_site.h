// SPDX-License-Identifier: GPL-3.0-or-later
/* A row of a report that is a site: what its calls cost, and how well that is known. Quantities
 * that are not known are NAN. */
#pragma once

#include "profile/profile.h"
#include "stats/stationarity/warmup.h"

/* What the wrapper adds to each duration, as measured; 0, 0 where it was not measured. */
struct report_overhead {
	double inside_ns, inside_error_ns;
	double outside_ns; /* paid by the target between calls; NAN: not known */
	bool measured;
	double inner_ns, inner_error_ns;		 /* added by each nested call; or 0, 0 */
	double way_ns[SCP_WAYS], way_error_ns[SCP_WAYS]; /* inside, by the way that calls went */
};

/* The slow clock of a `dual` run beside the fast one. */
struct report_slow {
	struct mean_interval estimate;
	uint64_t ticks;
	bool covers; /* the slow interval contains the fast mean */
	bool seen; /* a tick fell into one of the mean's calls; else the estimate is only a limit */
};

enum { REPORT_P50, REPORT_P90, REPORT_P99, REPORT_P999, REPORT_PERCENTILES };

/* The limits assume no distribution of the durations, and are at least as wide as the histogram's
 * buckets; 0 or INFINITY where too few calls lie beyond. */
struct report_percentiles {
	struct report_percentile {
		double ns, low_ns, high_ns;
		unsigned unreliable; /* why limits may be wrong: enum tail_unreliable, or-ed */
	} at[REPORT_PERCENTILES];
	double max_ns;
};

/* A bucket of a histogram of durations that has calls. */
struct report_bar {
	uint32_t bucket;       /* number in the file's histogram: the same limits at all sites */
	double from_ns, to_ns; /* compensated, as percentiles are */
	uint64_t calls;
	double height;	   /* calls per log duration over the highest bar's: (0, 1] */
	uint64_t switched; /* of the calls; estimated where report_states is; 0: none, unknown */
};

/* What a call costs by displacement (struct scp_site_cost), with limits at the report's
 * confidence. */
struct report_cost {
	double ns, low_ns, high_ns, error_ns;
	double p, q; /* p value of no cost; q: the same among all sites */
};

/* state 0: the profile says nothing of this site, or the row is several sites. */
struct report_displaced {
	uint32_t state; /* enum scp_site_cost_state */
	uint32_t group, spans;
	uint64_t run;
	double kept, busy, inflation;
	struct report_cost uncharged, true_cost;
	/* What the kernel charged for a call (report_states.charged) and uncharged; of a group,
	 * over the calls of all its sites. NAN: not known, or nested calls are charged to these,
	 * too. */
	struct report_cost both;
	bool significant; /* uncharged, with a false discovery rate of 1 - confidence */
};

/* Where the time of a site's calls went. mean = on_cpu + runnable + asleep, exactly, as the means
 * of all calls; each compensated as the mean is, the overhead being on the CPU. */
struct report_states {
	bool known;	/* false: no detector, or several: all else means nothing */
	bool estimated; /* which calls were switched is known of a sample only */
	uint64_t calls; /* that this is about: all, but for what an abandoned detector saw */
	uint64_t switched_calls;	 /* estimated: rounded */
	double switched_share;		 /* of `calls` */
	struct mean_interval unswitched; /* of the calls that kept their CPU */
	struct mean_interval on_cpu, runnable, asleep;
	uint64_t readings;
	/* CPU time charged to a call, as getrusage would: on_cpu without what was stolen. */
	struct mean_interval charged;
	/* On a CPU, a call: no more than this, by the CPU time of its threads. It is about this run
	 * only, and no limit of on_cpu.high. INFINITY: not known. */
	double most_on_cpu_ns;
};

/* What the mean of a site hides: its notes. */
enum report_finding {
	REPORT_WARM_UP = 1 << 8, /* beside enum stats_unreliable in one word */
	REPORT_FIRST_CALL = 1 << 9,
	REPORT_DRIFT = 1 << 10,
	REPORT_TWO_MODES = 1 << 11,
	REPORT_OUTLIERS = 1 << 12,
	REPORT_FEW_CALLS = 1 << 13,
	REPORT_PYTHON_CUT = 1 << 14 /* of its call path */
};

/* Is the mean one number (stats/stationarity/, stats/histogram/)? Durations are compensated. */
struct report_steadiness {
	uint64_t warmup_calls;	      /* first calls that differ from the rest; 0: none */
	double warmup_ns;	      /* mean of them; NAN: none */
	bool warmup_aside;	      /* the mean and its interval exclude them */
	double first_ns, first_ratio; /* the first call, and that over the mean of the others */
	double first_share;	      /* of the calls that are at least as long; NAN: not known */
	bool drift_known; /* false: too few batches, or several threads of equal weight */
	enum stats_drift drift;
	double begin_ns, end_ns, change; /* mean of a call at first and last; end / begin - 1 */
	double step_at;			 /* share of the calls before a step; NAN: no step */
	unsigned modes;			 /* 1, 2; 0: no histogram */
	double mode_ns[2], mode_calls[2], mode_time[2]; /* medians, shares of calls and time */
	double fence_ns;   /* longer calls are outliers; NAN: no histogram */
	uint64_t outliers; /* how many. They are in the mean */
	double outlier_ns, outlier_calls, outlier_time; /* their time, shares of calls and time */
	double longest_after_s; /* the longest call's end, after the first began; NAN */
};

/* Of all threads of a profile; NAN: nothing was read. */
struct states_shared {
	double stolen_share;		       /* of the time on a CPU: what the host stole */
	double others_runnable, others_asleep; /* off it per ns, over all calls */
	bool ticker_near;		       /* states_ticker_is_near */
};

#define REPORT_NO_PROGRAM	UINT32_MAX
#define REPORT_BELOW_RESOLUTION "below-resolution" /* why there is no mean: below_ns is known */

struct report_site {
	uint32_t function; /* index into the profile */
	uint32_t program;  /* index into the report's; REPORT_NO_PROGRAM: not apart, or overflow */
	uint32_t outcome;  /* enum scp_outcome; meaningless where overflow */
	bool overflow;	   /* calls that found no room: any path, any outcome */
	const struct prof_frame *frame; /* innermost first; what the grouping keeps of the path */
	uint32_t frames;
	uint32_t path_flags; /* SCP_PATH_* of the paths that are whole here */
	uint32_t paths;	     /* call paths that the row stands for: several where they are folded */
	uint64_t calls, units, ticks;
	bool has_bytes;
	uint64_t bytes;
	/* Compensated: the overhead is subtracted, and its error is in the interval. So the
	 * mean of a very short call may be below 0; it is not clamped, so that sums hold. Limits
	 * are: no call takes less than no time. */
	struct mean_interval estimate;
	/* The mean is less than the overhead is known to: all that is known is that it is below
	 * this. NAN: the mean is known. */
	double below_ns;
	/* The mean is of so many calls; the others, a warm-up, took set_aside_ns together:
	 * estimate.mean * mean_calls + set_aside_ns = total_ns. */
	uint64_t mean_calls;
	double set_aside_ns;
	double raw_mean_ns;    /* as measured */
	double apriori_ns;     /* standard error by Beilner's (10a), from the mean alone */
	double min_ns, max_ns; /* of one call, compensated */
	double overhead_ns, overhead_error_ns; /* what was subtracted from each call */
	/* Nested calls of these calls, at any depth, and their part of overhead_ns. Extremes and
	 * percentiles, whose nested calls are not known, are compensated in proportion to their
	 * length. */
	uint64_t inner_calls;
	double inner_overhead_ns;
	double total_ns; /* compensated */
	/* Calls that are inside no other recorded call, and their time: over all rows they count
	 * nothing twice. An estimate where only some of a row's calls are inside others. */
	uint64_t outer_calls;
	double outer_ns;
	double self_ns; /* total_ns without the recorded calls inside these; NAN: not known */
	/* Its function is there to wait (waiting_function): such time is no work. */
	bool waits;
	double share;	      /* of the time of all outer calls that work; NAN: it waits. Those of
				 rows whose calls are all outer add up to 1 */
	double waiting_share; /* of the time of all threads; NAN: it works */
	double time_share;    /* of the time of all threads, where programs are apart of those of
				 its program; whether it works or waits. What people are shown */
	uint32_t row;	      /* its number in the report, in views, too */
	/* Whichever it is, of the same of its program alone; NAN: it has none. */
	double program_share;
	bool has_percentiles;
	struct report_percentiles percentiles;
	struct report_bar *bar; /* by duration; NULL without percentiles, and for text */
	uint32_t bars;
	double per_call_ns, per_byte_ns;	  /* NAN where sizes do not vary */
	double per_call_low_ns, per_call_high_ns; /* NAN where nothing is known of the error */
	double per_byte_low_ns, per_byte_high_ns;
	bool per_byte_matters; /* its interval is above 0, sizes vary enough, and it is a part of
				  the time that is worth a figure */
	bool has_slow;
	struct report_slow slow;
	struct report_steadiness steadiness;
	unsigned findings; /* enum report_finding */
	struct report_displaced displaced;
	struct report_states states;
};
