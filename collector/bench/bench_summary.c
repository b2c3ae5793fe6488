// SPDX-License-Identifier: GPL-3.0-or-later
/* From loops to nanoseconds a call, and from those to means, fences and tests. */
#include "collector/bench/bench_summary.h"

#include <gsl/gsl_sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When a number is not reliable, and why. The tests of drift and of
 * dependence each raise a false alarm in one run of a hundred. */

#define ALARM	      0.01
#define STOLEN_BAD    0.01 /* share of the CPUs' time */
#define PREEMPTED_BAD 0.1  /* share of the replications: above it, no fence separates them */

__attribute__((format(printf, 3, 4))) static void warn(struct bench_summary *s, const char *code,
						       const char *format, ...)
{
	struct bench_warning *w = &s->warning[s->warnings++];

	w->code = code;
	FORMAT_BY(vsnprintf, w->text, sizeof(w->text), format);
}

static void add_warnings(struct bench_summary *s, const struct bench_summary_options *wishes)
{
	if (s->disturbed)
		warn(s, "outliers",
		     "%u of %u replications were disturbed; they count in the mean all the same, "
		     "undisturbed is the mean without them",
		     s->disturbed, s->replications);
	if (!s->best.measurements)
		warn(s, "not-converged",
		     "K-best: the %u fastest replications do not lie within %g %% of the fastest",
		     wishes->k, 100 * wishes->epsilon);
	if (s->drift.p < ALARM)
		warn(s, "drift",
		     "later replications took %+.2g %% (p = %.1g): not yet warm (--warmup), or the "
		     "processor's speed changed",
		     100 * s->drift.change, s->drift.p);
	else if (s->dependence < ALARM)
		warn(s, "dependent-replications",
		     "consecutive replications resemble each other (p = %.1g): the interval is too "
		     "narrow; a longer --min-time may help",
		     s->dependence);
	/* a command may lose its CPU on a quiet machine, too: the kernel moves it at exec */
	if (s->subtracted && s->preempted > PREEMPTED_BAD * s->replications)
		warn(s, "busy-machine",
		     "%u of %u replications lost the processor to other work: the mean holds that "
		     "waiting, K-best is nearer to the time without",
		     s->preempted, s->replications);
	if (s->stolen >= STOLEN_BAD)
		warn(s, "stolen-time",
		     "the host of this virtual machine took %.1f %% of the processors' time "
		     "meanwhile",
		     100 * s->stolen);
}

void bench_summary_free(struct bench_summary *s)
{
	free(s->subject_ns); /* and what lies behind it */
	free(s->outlier);
	*s = (struct bench_summary){0};
}

static void convert(struct bench_summary *s, const struct bench_plan *plan,
		    const struct bench_record *record)
{
	double scale = plan->ns_per_unit / (double)record->calls;

	for (uint32_t i = 0; i < s->replications; i++) {
		const struct bench_replication *r = &record->replications[i];

		s->subject_ns[i] = (double)r->subject * scale;
		s->empty_ns[i] = (double)r->empty * scale;
		s->value_ns[i] = s->subject_ns[i] - (s->subtracted ? s->empty_ns[i] : 0);
		s->preempted += r->switches > 0;
	}
}

static void list_outliers(struct bench_summary *s, const struct bench_record *record, bool empty,
			  double fence, double median)
{
	const double *ns = empty ? s->empty_ns : s->subject_ns;

	for (uint32_t i = 0; i < s->replications; i++)
		if (ns[i] > fence)
			s->outlier[s->outliers++] = (struct bench_outlier){
				.replication = i,
				.empty = empty,
				.at_s = (double)record->replications[i].began_ns / 1e9,
				.ns = ns[i],
				.factor = ns[i] / median,
				.switches = empty ? 0 : record->replications[i].switches,
			};
}

static void find_fence(const double *ns, uint32_t n, double resolution, double *scratch,
		       double *fence, double *median)
{
	memcpy(scratch, ns, n * sizeof(*ns));
	gsl_sort(scratch, 1, n);
	*fence = replications_fence(scratch, n, resolution);
	*median = replications_quantile(scratch, n, 0.5);
}

static void examine(struct bench_summary *s, const struct bench_plan *plan,
		    const struct bench_record *record, const struct bench_summary_options *wishes,
		    double *scratch)
{
	uint32_t n = s->replications;
	double resolution = plan->ns_per_unit / (double)record->calls;
	size_t left = 0;

	s->mean = replications_mean(s->value_ns, n, wishes->confidence);
	s->raw = replications_mean(s->subject_ns, n, wishes->confidence);
	s->empty = replications_mean(s->empty_ns, n, wishes->confidence);
	s->best = replications_kbest(s->subject_ns, n, wishes->k, wishes->epsilon);
	s->best_empty = replications_kbest(s->empty_ns, n, wishes->k, wishes->epsilon);
	s->best_ns = s->best.value - (s->subtracted ? s->best_empty.value : 0);
	find_fence(s->subject_ns, n, resolution, scratch, &s->fence_ns, &s->median_ns);
	list_outliers(s, record, false, s->fence_ns, s->median_ns);
	find_fence(s->empty_ns, n, resolution, scratch, &s->empty_fence_ns, &s->empty_median_ns);
	if (s->subtracted)
		list_outliers(s, record, true, s->empty_fence_ns, s->empty_median_ns);
	/* the mean of what is left without the disturbed replications: shown beside the mean of
	 * all, never in its place */
	for (uint32_t i = 0; i < n; i++)
		if (!(s->subject_ns[i] > s->fence_ns) &&
		    !(s->subtracted && s->empty_ns[i] > s->empty_fence_ns))
			scratch[left++] = s->value_ns[i];
	s->disturbed = n - (uint32_t)left;
	s->undisturbed = replications_mean(scratch, left, wishes->confidence);
	s->drift = replications_drift(s->subject_ns, n, scratch);
	s->dependence = replications_dependence(s->value_ns, n);
}

int bench_summary_make(struct bench_summary *s, const struct bench_plan *plan,
		       const struct bench_record *record,
		       const struct bench_summary_options *wishes)
{
	const size_t n = plan->replications;
	double *numbers = calloc(4 * n, sizeof(*numbers));

	if (!numbers)
		return -1;
	*s = (struct bench_summary){
		.replications = plan->replications,
		.subtracted = plan->library != NULL,
		.calls = record->calls,
		.warmup_calls = record->warmup_calls,
		.first_ns = (double)record->first * plan->ns_per_unit,
		.stolen = cpu_times_steal_share(&record->steal_from, &record->steal_to),
		.took_s = (double)record->took_ns / 1e9,
		.subject_ns = numbers,
		.empty_ns = numbers + n,
		.value_ns = numbers + 2 * n,
		.outlier = calloc(2 * n, sizeof(*s->outlier)),
	};
	if (!s->outlier) {
		bench_summary_free(s);
		return -1;
	}
	convert(s, plan, record);
	examine(s, plan, record, wishes, numbers + 3 * n);
	s->first_factor = s->first_ns / s->raw.mean;
	add_warnings(s, wishes);
	return 0;
}
