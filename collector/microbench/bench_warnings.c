// SPDX-License-Identifier: GPL-3.0-or-later
/* When a number is not reliable, and why. The tests of drift and of
 * dependence each raise a false alarm in one run of a hundred. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "collector/microbench/bench_summary.h"

#define ALARM	      0.01
#define STOLEN_BAD    0.01 /* share of the CPUs' time */
#define PREEMPTED_BAD 0.1  /* share of the replications: above it, no fence separates them */

static void warn(struct bench_summary *s, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void warn(struct bench_summary *s, const char *code, const char *format, ...)
{
	struct bench_warning *w = &s->warning[s->warnings++];
	va_list arguments;

	w->code = code;
	va_start(arguments, format);
	vsnprintf(w->text, sizeof(w->text), format, arguments);
	va_end(arguments);
}

void bench_warnings_make(struct bench_summary *s, const struct bench_summary_options *wishes)
{
	if (s->disturbed)
		warn(s, "outliers",
		     "%u of %u replications were disturbed; they count in the mean all the "
		     "same, undisturbed is the mean without them",
		     s->disturbed, s->replications);
	if (!s->best.measurements)
		warn(s, "not-converged",
		     "K-best: the %u fastest replications do not lie within %g %% of the "
		     "fastest",
		     wishes->k, 100 * wishes->epsilon);
	if (s->drift.p < ALARM)
		warn(s, "drift",
		     "later replications took %+.2g %% (p = %.1g): not yet warm (--warmup), or "
		     "the processor's speed changed",
		     100 * s->drift.change, s->drift.p);
	else if (s->dependence < ALARM)
		warn(s, "dependent-replications",
		     "consecutive replications resemble each other (p = %.1g): the interval is "
		     "too narrow; a longer --min-time may help",
		     s->dependence);
	/* a command may lose its CPU on a quiet machine, too: the kernel moves it at exec */
	if (s->function && s->preempted > PREEMPTED_BAD * s->replications)
		warn(s, "busy-machine",
		     "%u of %u replications lost the processor to other work: the mean holds that "
		     "waiting, K-best is nearer to the time without",
		     s->preempted, s->replications);
	if (s->stolen >= STOLEN_BAD)
		warn(s, "stolen-time",
		     "the host of this virtual machine took %.1f %% of the processors' time "
		     "meanwhile",
		     100 * s->stolen);
	if (!s->empty_known)
		warn(s, "no-empty-command",
		     "an empty command cannot be run here, so there is nothing to compare the "
		     "command with");
}
