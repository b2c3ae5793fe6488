// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of `scprof plan`: the command line, read and checked; the plan of a measurement to
 * come, and of more of one that was made; the numbers in words. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "report/render/json/json_write.h"
#include "report/report.h"
#include "report/wording/numbers.h"
#include "stats/mean/stopping.h"

struct plan_options {
	bool json;
	double confidence; /* in (0, 1) */
	double width;	   /* total width of the interval, relative to the mean */
	bool width_given, relative_given, by_given;
	unsigned digits; /* significant digits instead of `width`; 0: none */

	/* A planned measurement: tick_ns > 0. */
	uint64_t tick_ns, mean_ns, longest_ns; /* longest_ns 0: not given */

	/* A measurement that was made. */
	double share; /* sites above this share of the calls' time */
	enum report_by by;
	const char *const *profile;
	size_t profiles; /* 0: a planned measurement */
};

#define PLAN_SHARE_DEFAULT  0.01
#define PLAN_WIDTH_DEFAULT  0.1 /* +-5 % */
#define PLAN_DIGITS_MAX	    9
#define PLAN_WIDTH_MIN	    1e-9
#define PLAN_CONFIDENCE_MAX 0.999999999 /* no normal approximation is valid beyond */

/* ---- a measurement to come: `scprof plan --tick T --mean T` ---- */

/* Numbers of calls are whole, at least 1. What does not apply is NAN. */
struct plan_ahead {
	double calls;	      /* the answer */
	const char *method;   /* of it: "beilner-14a", "beilner-14b", "danzig-melvin-4",
				 "clopper-pearson" */
	const char *equation; /* the same for people */
	double error_ns;      /* half the total width asked for */

	double normal_calls; /* by the normal approximation */
	double rare;	     /* calls among those with the rarer of two tick counts */
	double bound_calls;  /* by (10b), mean of a tick or more */
	double page_calls;   /* on the page clock, where its irregular ticks matter */
	double ticks;	     /* expected in `calls` */

	double duration_ns;	   /* of `calls` of the longest */
	double longest_width;	   /* total, relative, that the longest reaches */
	double longest_confidence; /* of the longest at the precision asked for */
};

/* With fewer calls that have the rarer tick count the plan uses exact limits, as scprof's intervals
 * do (stats.h). */
#define PLAN_EXACT_BELOW 100
/* With fewer the normal approximation is not valid at all. */
#define PLAN_NORMAL_FAILS 10

/* Compute and print on standard output, as text or JSON. 0, or -1; the stream keeps its errors. */
int plan_ahead_print(const struct plan_options *o);

/* ---- more of the same program: `scprof plan PROFILE` ---- */

/* How many more calls the sites need until their intervals are as narrow as requested. */

enum plan_state {
	PLAN_REACHED,  /* narrow enough already */
	PLAN_MORE,     /* `calls` in all */
	PLAN_AT_LEAST, /* `calls`, perhaps more: see `reason` */
	PLAN_NEVER,    /* no number of calls helps: `reason` */
	PLAN_UNKNOWN   /* no forecast is possible: `reason` */
};

struct plan_site {
	uint32_t site; /* index into the report */
	enum plan_state state;
	const char *reason; /* a code; NULL: none */
	bool rough;	    /* the interval is too wide for a good forecast */
	double width;	    /* of the interval now, over the mean; NAN: not known */
	double calls;	    /* needed in all; INFINITY: never; NAN: not known */
	double more_calls;  /* beyond those made; as `calls` */
	double more_ns;	    /* of running at the same rates; as `calls` */
	/* The same for their CPU time, the mean of those that are not switched: far fewer, where
	 * other programs take the CPU. NAN: it is not known which were. */
	double cpu_width, cpu_calls, cpu_more_calls;
};

/* A run says little about events that are rarer than one a run. */
#define PLAN_FAR 4
/* And a short one nothing of phases: what lasts a third of it goes unseen in one of 20
 * (stopping.h). */
#define PLAN_BRIEF_NS (STOPPING_LEAST_S * 1e9)

struct plan_sites {
	struct plan_site *site; /* longest total first */
	uint32_t sites;
	uint32_t in_state[PLAN_UNKNOWN + 1];
	double running_ns; /* in which a process was recorded */
	/* For all sites in PLAN_MORE and PLAN_AT_LEAST: how many times as long the run must be, and
	 * all calls in it. */
	double factor, more_calls, more_ns;
	/* The same for the CPU time of all sites with a forecast; NAN: there are none. */
	double cpu_factor, cpu_more_calls, cpu_more_ns;
	bool far;	  /* factor > PLAN_FAR: rarer events than the run had will occur */
	bool brief;	  /* running_ns < PLAN_BRIEF_NS: slow phases may be missing */
	uint32_t perhaps; /* sites below the share whose intervals reach above it */
};

/* 0, or -1: out of memory. The caller frees p->site either way. */
int plan_sites_build(struct plan_sites *p, const struct report *r, const struct plan_options *o);

const char *plan_state_name(enum plan_state state);
/* Explains a reason and a remedy, in one line. */
const char *plan_reason_text(const char *reason);

/* On standard output. 0, or -1: out of memory; errors of the stream stay in it. */
int plan_sites_print(const struct plan_sites *p, struct report *r, const struct plan_options *o);

/* ---- numbers, which may be far larger than those of a report ---- */

/* "29,196"; "1.54e+24" from 2^53 on. */
struct numbered plan_words_count(double count);

/* "52 s", "4.9 minutes", "26 hours", "3.1 days"; below a second as numbers_duration. */
struct numbered plan_words_time(double ns);

/* "2.5 ms": a duration as it was given, up to six digits. */
struct numbered plan_words_duration(double ns, bool utf8);

/* "5 %", "0.23 %": two significant digits and no more. */
struct numbered plan_words_percent(double share);

/* A whole number where it is exact, a real one where it is too large; null if not finite. */
void plan_words_put(struct json_writer *w, const char *key, double count);
