// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of the threads' time, as reports show them. */
#include "report/model/model.h"

#include <math.h>

#include "report/wording/numbers.h"

const char *threads_time_mostly(const struct report_threads_time *t)
{
	double cpu = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;
	double asleep = t->asleep_in_calls_s + t->not_recorded_s;

	if (threads_time_is_elsewhere(t))
		return "computes";
	if (!t->known || !(cpu + asleep + t->runnable_s > 0))
		return NULL;
	if (asleep > cpu && asleep > t->runnable_s)
		return "waits";
	return t->runnable_s > cpu ? "kept from its CPUs" : "computes";
}

double threads_time_cpu_in_calls_s(const struct report_threads_time *t)
{
	double cpu = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;

	return fmax(fmin(t->cpu_in_calls_s, cpu), 0);
}

struct threads_cpu threads_time_cpu(const struct report *r, const struct report_threads_time *t)
{
	double in_calls = threads_time_cpu_in_calls_s(t), path = fmax(t->recording_s, 0);
	double cpu = fmax(t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s, 0);
	double outside = fmax(cpu - in_calls - path, 0);
	double inside = (double)r->calls * r->overhead.inside_ns / 1e9;
	double between = r->perturbation_ns / 1e9 - path - inside;

	in_calls -= inside > 0 ? fmin(inside, in_calls) : 0;
	outside -= between > 0 ? fmin(between, outside) : 0; /* NAN: not known */
	return (struct threads_cpu){in_calls, outside, cpu - in_calls - outside};
}

void threads_time_parts(const struct report *r, const struct report_threads_time *t,
			double part[TIME_PARTS])
{
	const struct threads_cpu on = threads_time_cpu(r, t);
	const double s[TIME_PARTS] = {on.in_calls_s, on.outside_s,	   on.recording_s,
				      t->runnable_s, t->asleep_in_calls_s, t->not_recorded_s};

	for (size_t i = 0; i < TIME_PARTS; i++)
		part[i] = fmax(s[i], 0);
}

double threads_time_share(const struct report *r, const struct report_threads_time *t,
			  enum time_part of)
{
	double part[TIME_PARTS], all = 0;
	int32_t permille[TIME_PARTS] = {0};

	threads_time_parts(r, t, part);
	for (size_t i = 0; i < TIME_PARTS; i++)
		all += part[i];
	if (numbers_percentages(part, TIME_PARTS, 1000, permille) == 0 && permille[of])
		return permille[of] / 1000.0;
	return part[of] / all;
}

struct threads_cpu threads_time_by_calls(const struct report *r)
{
	double work_ns = fmax(r->calls_ns - r->nested_ns - r->waiting_ns, 0);
	const struct report_threads_time sums = {.cpu_in_calls_s = work_ns / 1e9,
						 .cpu_outside_s = fmax(r->gaps_ns, 0) / 1e9,
						 .recording_s = r->recording_ns / 1e9};

	return threads_time_cpu(r, &sums);
}
