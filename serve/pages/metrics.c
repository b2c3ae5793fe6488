// SPDX-License-Identifier: GPL-3.0-or-later
/* The formats want all samples of a metric together, so each metric iterates over all rows. */
#include "serve/pages/metrics.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "include/scprof_version.h"

typedef void put_row(struct metrics *m, const struct counters_row *row);

static void put_calls(struct metrics *m, const struct counters_row *row)
{
	metrics_write_whole(m, row->sums.calls);
}

static void put_seconds(struct metrics *m, const struct counters_row *row)
{
	metrics_write_real(m, (double)row->sums.seconds);
}

static void put_squares(struct metrics *m, const struct counters_row *row)
{
	metrics_write_real(m, (double)row->sums.square_seconds);
}

static void put_ticks(struct metrics *m, const struct counters_row *row)
{
	metrics_write_whole(m, row->sums.ticks);
}

static void put_overhead(struct metrics *m, const struct counters_row *row)
{
	metrics_write_real(m, (double)row->sums.overhead_seconds);
}

static void put_bytes(struct metrics *m, const struct counters_row *row)
{
	metrics_write_whole(m, row->sums.bytes);
}

static void put_switched(struct metrics *m, const struct counters_row *row)
{
	metrics_write_real(m, (double)row->sums.switched_calls);
}

static void put_variance(struct metrics *m, const struct counters_row *row)
{
	metrics_write_real(m, row->spread.variance);
}

static void put_batches(struct metrics *m, const struct counters_row *row)
{
	metrics_write_real(m, row->spread.batches);
}

static void labels(struct metrics *m, const struct counters_service *s,
		   const struct counters_function *f, unsigned outcome, uint32_t clock)
{
	metrics_write_sample(m);
	metrics_write_label(m, "service", s->name);
	metrics_write_label(m, "function", f->name);
	metrics_write_label(m, "library", f->library);
	if (f->waits)
		metrics_write_label(m, "kind", "wait");
	if (outcome < COUNTERS_OUTCOMES)
		metrics_write_label(m, "outcome", counters_outcome_name(outcome));
	metrics_write_label(m, "clock", report_names_clock(clock));
}

static void function_rows(struct metrics *m, const struct counters_service *s,
			  const struct counters_function *f, put_row *put)
{
	for (unsigned i = 0; i < COUNTERS_OUTCOMES; i++)
		for (uint32_t k = 0; k < COUNTERS_CLOCKS; k++) {
			const struct counters_row *row = f->row[i][k];

			if (!row || (put == put_bytes && !row->has_bytes) ||
			    (put == put_switched && !row->has_states))
				continue;
			/* there are no squares of calls that found no room */
			if (put == put_squares && i == COUNTERS_OVERFLOW)
				continue;
			labels(m, s, f, i, k);
			put(m, row);
		}
}

static void rows(struct metrics *m, const struct agent *a, put_row *put)
{
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (const struct counters_function *f = s->functions; f; f = f->hh.next)
			function_rows(m, s, f, put);
}

static void put_sums(struct metrics *m, const struct agent *a)
{
	metrics_write_counter(m, "scprof_calls", "", "Calls that returned.");
	rows(m, a, put_calls);
	metrics_write_counter(m, "scprof_seconds", "seconds",
			      "Time in these calls as measured, scprof's own share included.");
	rows(m, a, put_seconds);
	metrics_write_counter(m, "scprof_square_seconds", "",
			      "Sum of the squared durations, in seconds squared.");
	rows(m, a, put_squares);
	metrics_write_counter(m, "scprof_overhead_seconds", "seconds",
			      "scprof's own share of scprof_seconds_total.");
	rows(m, a, put_overhead);
	metrics_write_counter(m, "scprof_ticks", "",
			      "Ticks of the clock in these calls; cycles of a counter.");
	rows(m, a, put_ticks);
	metrics_write_counter(m, "scprof_bytes", "bytes", "Bytes that these calls moved.");
	rows(m, a, put_bytes);
	metrics_write_counter(
		m, "scprof_variance_square_seconds", "",
		"Variance of scprof_seconds_total, dependence between calls included, in "
		"seconds squared.");
	rows(m, a, put_variance);
	metrics_write_counter(m, "scprof_batches", "",
			      "Readings that scprof_variance_square_seconds_total was made from.");
	rows(m, a, put_batches);
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
	metrics_write_counter(
		m, "scprof_errors", "",
		"Calls that returned an error, or were left by an exception. Would-block "
		"and interrupted calls are not among them.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (const struct counters_function *f = s->functions; f; f = f->hh.next)
			function_errors(m, s, f);
}

static void gauge_family(struct metrics *m, const struct gauges *g, const char *name,
			 const char *unit, const char *help, double (*value)(const struct gauge *g))
{
	metrics_write_gauge(m, name, unit, help);
	for (size_t i = 0; i < g->count; i++) {
		const struct gauge *one = &g->gauge[i];

		labels(m, one->service, one->function, one->outcome, one->clock);
		metrics_write_real(m, value(one));
	}
}

static double mean_of(const struct gauge *g)
{
	return g->estimate.mean / 1e9;
}

static double low_of(const struct gauge *g)
{
	return g->estimate.low / 1e9;
}

static double high_of(const struct gauge *g)
{
	return g->estimate.high / 1e9;
}

static double error_of(const struct gauge *g)
{
	return g->estimate.error / 1e9;
}

static double effect_of(const struct gauge *g)
{
	return g->estimate.design_effect;
}

static double unreliable_of(const struct gauge *g)
{
	return g->estimate.unreliable != 0;
}

static void put_gauges(struct metrics *m, const struct gauges *g)
{
	gauge_family(m, g, "scprof_mean_seconds", "seconds",
		     "Mean duration of a call on this host, scprof's own share subtracted.",
		     mean_of);
	gauge_family(m, g, "scprof_mean_low_seconds", "seconds",
		     "Lower bound of the mean's interval.", low_of);
	gauge_family(m, g, "scprof_mean_high_seconds", "seconds",
		     "Upper bound of the mean's interval.", high_of);
	gauge_family(m, g, "scprof_mean_error_seconds", "seconds",
		     "Standard error of the mean, dependence between calls included.", error_of);
	gauge_family(m, g, "scprof_design_effect", "",
		     "Variance of the mean over what it would be were the calls independent.",
		     effect_of);
	gauge_family(m, g, "scprof_interval_doubtful", "",
		     "1: the interval may not contain the true mean; the service's page says why.",
		     unreliable_of);
}

static void function_states(struct metrics *m, const struct counters_service *s,
			    const struct counters_function *f)
{
	for (unsigned i = 0; i < COUNTERS_OUTCOMES * COUNTERS_CLOCKS * COUNTERS_STATES; i++) {
		unsigned outcome = i / COUNTERS_STATES / COUNTERS_CLOCKS;
		uint32_t clock = i / COUNTERS_STATES % COUNTERS_CLOCKS;
		const struct counters_row *row = f->row[outcome][clock];

		if (!row || !row->has_states)
			continue;
		labels(m, s, f, outcome, clock);
		metrics_write_label(m, "state", counters_state_names[i % COUNTERS_STATES]);
		metrics_write_real(m, (double)row->sums.state_seconds[i % COUNTERS_STATES]);
	}
}

static void put_states(struct metrics *m, const struct agent *a)
{
	metrics_write_counter(m, "scprof_state_seconds", "seconds",
			      "Where scprof_seconds_total went: on a CPU, runnable (waiting for "
			      "one), asleep. Estimated from a part of the switches.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (const struct counters_function *f = s->functions; f; f = f->hh.next)
			function_states(m, s, f);
	metrics_write_counter(m, "scprof_calls_switched", "",
			      "Calls during which their thread lost its CPU, or waited.");
	rows(m, a, put_switched);
	metrics_write_gauge(m, "scprof_switch_detector_info", "",
			    "Always 1: how the switches of the service's threads were found.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (uint32_t i = 0; i <= SCP_SWITCH_PERF; i++) {
			if (!(s->detectors & 1u << i))
				continue;
			metrics_write_sample(m);
			metrics_write_label(m, "service", s->name);
			metrics_write_label(m, "detector", report_names_detector(i));
			metrics_write_whole(m, 1);
		}
}

static void put_losses(struct metrics *m, const struct agent *a)
{
	metrics_write_counter(m, "scprof_lost_calls", "", "Calls that could not be recorded.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
		for (unsigned i = 0; i < COUNTERS_LOSSES; i++) {
			metrics_write_sample(m);
			metrics_write_label(m, "service", s->name);
			metrics_write_label(m, "reason", counters_loss_names[i]);
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

static void put_services(struct metrics *m, const struct agent *a)
{
	metrics_write_gauge(m, "scprof_processes", "", "Profiled processes that are alive.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next) {
		metrics_write_sample(m);
		metrics_write_label(m, "service", s->name);
		metrics_write_whole(m, living(a, s));
	}
	metrics_write_counter(m, "scprof_processes_seen", "",
			      "Profiled processes, ended ones too.");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next) {
		metrics_write_sample(m);
		metrics_write_label(m, "service", s->name);
		metrics_write_whole(m, s->processes);
	}
	metrics_write_gauge(m, "scprof_functions_limited", "",
			    "1: functions beyond the limit are summed as \"" LABEL_OTHER "\".");
	for (const struct counters_service *s = a->counters.services; s; s = s->hh.next) {
		metrics_write_sample(m);
		metrics_write_label(m, "service", s->name);
		metrics_write_whole(m, s->other != NULL);
	}
}

static void one(struct metrics *m, double value)
{
	metrics_write_sample(m);
	metrics_write_real(m, value);
}

static void put_files(struct metrics *m, const struct agent *a)
{
	uint64_t count[SOURCE_STATES] = {0};

	for (const struct source *o = a->sources; o; o = o->hh.next)
		count[o->state]++;
	metrics_write_gauge(m, "scprof_files", "", "Profile files by state.");
	for (unsigned i = 0; i < SOURCE_STATES; i++) {
		metrics_write_sample(m);
		metrics_write_label(m, "state", source_state_names[i]);
		metrics_write_whole(m, count[i]);
	}
	metrics_write_counter(m, "scprof_read_failures", "",
			      "Files or readings that were refused.");
	for (unsigned i = 0; i < SOURCE_FAULTS; i++) {
		metrics_write_sample(m);
		metrics_write_label(m, "reason", source_fault_names[i]);
		metrics_write_whole(m, a->faults[i]);
	}
	metrics_write_gauge(m, "scprof_files_beyond_limit", "",
			    "Files passed over because of the limits.");
	one(m, (double)a->files_beyond);
	metrics_write_gauge(m, "scprof_directories_failed", "", "Directories that cannot be read.");
	one(m, (double)a->directories_failed);
}

static void put_agent(struct metrics *m, const struct agent *a, const struct gauges *g)
{
	struct rusage usage = {0};

	metrics_write_counter(m, "scprof_limited_processes", "",
			      "Processes of programs beyond the limit, summed as \"" LABEL_OTHER
			      "\".");
	one(m, (double)a->counters.unnamed);
	metrics_write_gauge(
		m, "scprof_gauges_left_out_processes", "",
		"Processes not in the means and intervals: another tick of the same clock, or "
		"their estimates take too long.");
	one(m, (double)g->left_out);
	metrics_write_gauge(m, "scprof_confidence_ratio", "", "Of the intervals.");
	one(m, a->options.confidence);
	metrics_write_gauge(m, "scprof_refresh_seconds", "seconds",
			    "How long the last reading took.");
	one(m, a->refresh_s);
	metrics_write_gauge(m, "scprof_build_info", "", "Always 1.");
	metrics_write_sample(m);
	metrics_write_label(m, "version", SCPROF_VERSION);
	metrics_write_whole(m, 1);
	metrics_write_gauge(m, "process_start_time_seconds", "seconds",
			    "Of this agent, since 1970.");
	one(m, (double)a->started_real_ns / 1e9);
	if (getrusage(RUSAGE_SELF, &usage))
		return;
	metrics_write_counter(m, "process_cpu_seconds", "seconds", "Of this agent.");
	one(m, (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	metrics_write_gauge(m, "process_max_resident_memory_bytes", "bytes",
			    "Of this agent, the most.");
	one(m, (double)usage.ru_maxrss * 1024);
}

int metrics_print(struct agent *a, bool openmetrics, FILE *out)
{
	struct metrics m = {.out = out, .openmetrics = openmetrics};
	struct gauges gauges;
	int status;

	status = gauges_build(&gauges, a);
	agent_lock(a);
	if (status == 0) {
		put_sums(&m, a);
		put_states(&m, a);
		put_errors(&m, a);
		put_gauges(&m, &gauges);
		put_losses(&m, a);
		put_services(&m, a);
		put_files(&m, a);
		put_agent(&m, a, &gauges);
		metrics_write_end(&m);
	}
	agent_unlock(a);
	gauges_free(&gauges);
	return status || fflush(out) || ferror(out) ? -1 : 0;
}
