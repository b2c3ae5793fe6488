// SPDX-License-Identifier: GPL-3.0-or-later
/* The formats want all samples of a metric together, so each metric iterates over all rows. */
#include "report/serve/pages/metrics.h"

#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include "collector/clocks/clocks_read.h"
#include "collector/machine/cpu_times.h"
#include "include/scprof_version.h"

/* A metric of each row of the counters. */
struct row_metric {
	const char *name, *unit, *help;
	enum { WHOLE, LONG_REAL, REAL } type;
	size_t at; /* in struct counters_row */
	enum { ALL, WITH_BYTES, WITH_STATES, RECORDED } rows;
	const char *state; /* NULL: no such label */
};

#define AT(field) offsetof(struct counters_row, field)
#define STATE_HELP                                                                                 \
	"Where scprof_seconds_total went: on a CPU, runnable (waiting for one), asleep. "          \
	"Estimated "                                                                               \
	"from a part of the switches."

static const struct row_metric sums[] = {
	{"scprof_calls", "", "Calls that returned.", WHOLE, AT(sums.calls), ALL, NULL},
	{"scprof_seconds", "seconds",
	 "Time in these calls as measured, scprof's own share included.", LONG_REAL,
	 AT(sums.seconds), ALL, NULL},
	/* there are no squares of calls that found no room */
	{"scprof_square_seconds", "", "Sum of the squared durations, in seconds squared.",
	 LONG_REAL, AT(sums.square_seconds), RECORDED, NULL},
	{"scprof_overhead_seconds", "seconds", "scprof's own share of scprof_seconds_total.",
	 LONG_REAL, AT(sums.overhead_seconds), ALL, NULL},
	{"scprof_ticks", "", "Ticks of the clock in these calls; cycles of a counter.", WHOLE,
	 AT(sums.ticks), ALL, NULL},
	{"scprof_bytes", "bytes", "Bytes that these calls moved.", WHOLE, AT(sums.bytes),
	 WITH_BYTES, NULL},
	{"scprof_variance_square_seconds", "",
	 "Variance of scprof_seconds_total, dependence between calls included, in seconds squared.",
	 REAL, AT(spread.variance), ALL, NULL},
	{"scprof_batches", "", "Readings that scprof_variance_square_seconds_total was made from.",
	 REAL, AT(spread.batches), ALL, NULL},
	{"scprof_state_seconds", "seconds", STATE_HELP, LONG_REAL,
	 AT(sums.state_seconds[COUNTERS_ON_CPU]), WITH_STATES, "on_cpu"},
	{"scprof_state_seconds", "seconds", STATE_HELP, LONG_REAL,
	 AT(sums.state_seconds[COUNTERS_RUNNABLE]), WITH_STATES, "runnable"},
	{"scprof_state_seconds", "seconds", STATE_HELP, LONG_REAL,
	 AT(sums.state_seconds[COUNTERS_ASLEEP]), WITH_STATES, "asleep"},
	{"scprof_calls_switched", "", "Calls during which their thread lost its CPU, or waited.",
	 LONG_REAL, AT(sums.switched_calls), WITH_STATES, NULL},
};

static void put_value(struct metrics *m, const struct row_metric *what,
		      const struct counters_row *row)
{
	const void *at = (const char *)row + what->at;

	if (what->type == WHOLE)
		metrics_write_whole(m, *(const prof_u128 *)at);
	else
		metrics_write_real(m, what->type == REAL ? *(const double *)at
							 : (double)*(const long double *)at);
}

static void labels(struct metrics *m, const struct counters_service *s,
		   const struct counters_function *f, unsigned outcome, uint32_t clock)
{
	METRICS_SAMPLE(m, "service", s->name, "function", f->name, "library", f->library);
	if (f->waits)
		metrics_write_label(m, "kind", "wait");
	if (outcome < COUNTERS_OUTCOMES)
		metrics_write_label(m, "outcome", counters_outcome_name(outcome));
	metrics_write_label(m, "clock", report_names_clock(clock));
}

static void function_rows(struct metrics *m, const struct counters_service *s,
			  const struct counters_function *f, const struct row_metric *what)
{
	for (unsigned i = 0; i < COUNTERS_OUTCOMES; i++)
		for (uint32_t k = 0; k < COUNTERS_CLOCKS; k++) {
			const struct counters_row *row = f->row[i][k];

			if (!row || (what->rows == WITH_BYTES && !row->has_bytes) ||
			    (what->rows == WITH_STATES && !row->has_states) ||
			    (what->rows == RECORDED && i == COUNTERS_OVERFLOW))
				continue;
			labels(m, s, f, i, k);
			if (what->state)
				metrics_write_label(m, "state", what->state);
			put_value(m, what, row);
		}
}

static void put_rows(struct metrics *m, const struct agent *a)
{
	for (const struct row_metric *what = sums; what < sums + sizeof(sums) / sizeof(*sums);
	     what++) {
		if (what == sums || strcmp(what->name, what[-1].name))
			metrics_write_family(m, METRICS_COUNTER, what->name, what->unit,
					     what->help);
		for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
			for (const struct counters_function *f = s->functions; f; f = f->hh.next)
				function_rows(m, s, f, what);
	}
}

static void function_errors(struct metrics *m, const struct counters_service *s,
			    const struct counters_function *f)
{
	for (uint32_t k = 0; k < COUNTERS_CLOCKS; k++) {
		const struct counters_row *error = f->row[SCP_ERROR][k];
		const struct counters_row *exception = f->row[SCP_EXCEPTION][k];
		bool any = false;

		for (unsigned i = 0; i < COUNTERS_OUTCOMES; i++)
			any = any || f->row[i][k];
		if (!any)
			continue;
		labels(m, s, f, COUNTERS_OUTCOMES, k);
		metrics_write_whole(m, (error ? error->sums.calls : 0) +
					       (exception ? exception->sums.calls : 0));
	}
}

static void put_errors(struct metrics *m, const struct agent *a)
{
	metrics_write_family(
		m, METRICS_COUNTER, "scprof_errors", "",
		"Calls that returned an error, or were left by an exception. Would-block "
		"and interrupted calls are not among them.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (const struct counters_function *f = s->functions; f; f = f->hh.next)
			function_errors(m, s, f);
}

#define OF_GAUGE(field) offsetof(struct gauge, estimate.field)

static void put_gauges(struct metrics *m, const struct gauges *g)
{
	static const struct {
		const char *name, *unit, *help;
		size_t at;  /* in struct gauge */
		double per; /* ns a second */
	} all[] = {
		{"scprof_mean_seconds", "seconds",
		 "Mean duration of a call on this host, scprof's own share subtracted.",
		 OF_GAUGE(mean), 1e9},
		{"scprof_mean_low_seconds", "seconds", "Lower bound of the mean's interval.",
		 OF_GAUGE(low), 1e9},
		{"scprof_mean_high_seconds", "seconds", "Upper bound of the mean's interval.",
		 OF_GAUGE(high), 1e9},
		{"scprof_mean_error_seconds", "seconds",
		 "Standard error of the mean, dependence between calls included.", OF_GAUGE(error),
		 1e9},
		{"scprof_design_effect", "",
		 "Variance of the mean over what it would be were the calls independent.",
		 OF_GAUGE(design_effect), 1},
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
		metrics_write_family(m, METRICS_GAUGE, all[k].name, all[k].unit, all[k].help);
		for (const struct gauge *one = g->gauge; one < g->gauge + g->count; one++) {
			double value =
				*(const double *)(const void *)((const char *)one + all[k].at);

			/* a mean below 0 is noise, and lies below its own limits */
			labels(m, one->service, one->function, one->outcome, one->clock);
			metrics_write_real(m, value < 0 ? 0 : value / all[k].per);
		}
	}
	metrics_write_family(
		m, METRICS_GAUGE, "scprof_interval_doubtful", "",
		"1: the interval may not contain the true mean; the service's page says why.");
	for (const struct gauge *one = g->gauge; one < g->gauge + g->count; one++) {
		labels(m, one->service, one->function, one->outcome, one->clock);
		metrics_write_whole(m, one->estimate.unreliable != 0);
	}
}

/* Of runs that go on. */
static void put_computing(struct metrics *m, const struct agent *a)
{
	uint64_t now_ns = clocks_read_ns(CLOCK_MONOTONIC);

	metrics_write_family(
		m, METRICS_GAUGE, "scprof_computing_cpu_seconds", "seconds",
		"CPU time outside of recorded calls of a run under way, so far, by samples.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next) {
		const struct counters_computing *c = &s->computing;

		for (uint32_t i = 0; i < c->rows && now_ns < c->until_ns; i++) {
			METRICS_SAMPLE(m, "service", s->name, "function", c->row[i].function,
				       "library", c->row[i].library);
			metrics_write_real(m, c->row[i].cpu_s);
		}
	}
}

static void put_detectors(struct metrics *m, const struct agent *a)
{
	metrics_write_family(m, METRICS_GAUGE, "scprof_switch_detector_info", "",
			     "Always 1: how the switches of the service's threads were found.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (uint32_t i = 0; i <= SCP_SWITCH_PERF; i++) {
			if (!(s->detectors & 1u << i))
				continue;
			METRICS_SAMPLE(m, "service", s->name, "detector", report_names_detector(i));
			metrics_write_whole(m, 1);
		}
}

static void put_losses(struct metrics *m, const struct agent *a)
{
	metrics_write_family(m, METRICS_COUNTER, "scprof_lost_calls", "",
			     "Calls that could not be recorded.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (unsigned i = 0; i < COUNTERS_LOSSES; i++) {
			METRICS_SAMPLE(m, "service", s->name, "reason", counters_loss_names[i]);
			metrics_write_whole(m, s->lost[i]);
		}
}

static uint64_t living(const struct agent *a, const struct counters_service *s)
{
	uint64_t count = 0;

	for (const struct source *o = a->sources; o; o = o->hh.next)
		count += o->service == s && o->alive;
	return count;
}

static void of_service(struct metrics *m, const struct counters_service *s, uint64_t value)
{
	METRICS_SAMPLE(m, "service", s->name);
	metrics_write_whole(m, value);
}

static void put_services(struct metrics *m, const struct agent *a)
{
	const struct counters_service *s;

	metrics_write_family(m, METRICS_GAUGE, "scprof_processes", "",
			     "Profiled processes that are alive.");
	for (s = a->counters.services; s; s = s->hh.next)
		of_service(m, s, living(a, s));
	metrics_write_family(m, METRICS_COUNTER, "scprof_processes_seen", "",
			     "Profiled processes, ended ones too.");
	for (s = a->counters.services; s; s = s->hh.next)
		of_service(m, s, s->processes);
	metrics_write_family(m, METRICS_GAUGE, "scprof_functions_limited", "",
			     "1: functions beyond the limit are summed as \"" LABEL_OTHER "\".");
	for (s = a->counters.services; s; s = s->hh.next)
		of_service(m, s, s->other != NULL);
}

static void put_one(struct metrics *m, enum metrics_type type, const char *name, const char *unit,
		    const char *help, double value)
{
	metrics_write_family(m, type, name, unit, help);
	METRICS_SAMPLE(m, NULL);
	metrics_write_real(m, value);
}

static void put_files(struct metrics *m, const struct agent *a)
{
	uint64_t count[SOURCE_STATES] = {0};

	for (const struct source *o = a->sources; o; o = o->hh.next)
		count[o->state]++;
	metrics_write_family(m, METRICS_GAUGE, "scprof_files", "", "Profile files by state.");
	for (unsigned i = 0; i < SOURCE_STATES; i++) {
		METRICS_SAMPLE(m, "state", source_state_names[i]);
		metrics_write_whole(m, count[i]);
	}
	metrics_write_family(m, METRICS_COUNTER, "scprof_read_failures", "",
			     "Files or readings that were refused.");
	for (unsigned i = 0; i < SOURCE_FAULTS; i++) {
		METRICS_SAMPLE(m, "reason", source_faults[i].name);
		metrics_write_whole(m, a->faults[i]);
	}
	put_one(m, METRICS_GAUGE, "scprof_files_beyond_limit", "",
		"Files passed over because of the limits.", (double)a->files_beyond);
	put_one(m, METRICS_GAUGE, "scprof_directories_failed", "",
		"Directories that cannot be read.", (double)a->directories_failed);
}

static void put_agent(struct metrics *m, const struct agent *a, const struct gauges *g)
{
	struct rusage usage = {0};

	put_one(m, METRICS_COUNTER, "scprof_limited_processes", "",
		"Processes of programs beyond the limit, summed as \"" LABEL_OTHER "\".",
		(double)a->counters.unnamed);
	put_one(m, METRICS_GAUGE, "scprof_gauges_left_out_processes", "",
		"Processes not in the means and intervals: another tick of the same clock, or "
		"their estimates take too long.",
		(double)g->left_out);
	put_one(m, METRICS_GAUGE, "scprof_confidence_ratio", "", "Of the intervals.",
		a->options.confidence);
	put_one(m, METRICS_GAUGE, "scprof_refresh_seconds", "seconds",
		"How long the last reading took.", a->refresh_s);
	metrics_write_family(m, METRICS_GAUGE, "scprof_build_info", "", "Always 1.");
	METRICS_SAMPLE(m, "version", SCPROF_VERSION);
	metrics_write_whole(m, 1);
	put_one(m, METRICS_GAUGE, "process_start_time_seconds", "seconds",
		"Of this agent, since 1970.", (double)a->started_real_ns / 1e9);
	if (getrusage(RUSAGE_SELF, &usage))
		return;
	put_one(m, METRICS_COUNTER, "process_cpu_seconds", "seconds", "Of this agent.",
		cpu_times_of_usage(&usage));
	put_one(m, METRICS_GAUGE, "process_max_resident_memory_bytes", "bytes",
		"Of this agent, the most.", (double)usage.ru_maxrss * 1024);
}

int metrics_print(struct agent *a, bool openmetrics, FILE *out)
{
	struct metrics m = {.out = out, .openmetrics = openmetrics};
	struct gauges gauges;

	int status = gauges_build(&gauges, a);
	pthread_mutex_lock(&a->lock);
	if (status == 0) {
		put_rows(&m, a);
		put_detectors(&m, a);
		put_errors(&m, a);
		put_gauges(&m, &gauges);
		put_computing(&m, a);
		put_losses(&m, a);
		put_services(&m, a);
		put_files(&m, a);
		put_agent(&m, a, &gauges);
		metrics_write_end(&m);
	}
	pthread_mutex_unlock(&a->lock);
	gauges_free(&gauges);
	return status || fflush(out) || ferror(out) ? -1 : 0;
}
