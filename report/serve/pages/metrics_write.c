// SPDX-License-Identifier: GPL-3.0-or-later
/* Names and help texts are constant; only values of labels come from profiles (label.h). */
#include "report/serve/pages/metrics.h"

#include <math.h>
#include <string.h>

#include "report/serve/sums/counters.h"

void metrics_write_family(struct metrics *m, enum metrics_type type, const char *name,
			  const char *unit, const char *help)
{
	const char *word = type == METRICS_COUNTER ? "counter" : "gauge";
	const char *suffix = type == METRICS_COUNTER && !m->openmetrics ? "_total" : "";

	m->counter = type == METRICS_COUNTER;
	m->family = name;
	if (m->openmetrics) {
		fprintf(m->out, "# TYPE %s %s\n", name, word);
		if (*unit)
			fprintf(m->out, "# UNIT %s %s\n", name, unit);
		fprintf(m->out, "# HELP %s %s\n", name, help);
		return;
	}
	fprintf(m->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix, word);
}

void metrics_write_sample(struct metrics *m, const char *const *labels)
{
	fprintf(m->out, "%s%s", m->family, m->counter ? "_total" : "");
	m->labels = false;
	for (; *labels; labels += 2)
		metrics_write_label(m, labels[0], labels[1]);
}

void metrics_write_label(struct metrics *m, const char *name, const char *value)
{
	fputc(m->labels ? ',' : '{', m->out);
	label_write(m->out, name, value);
	m->labels = true;
}

static void put_value(struct metrics *m, const char *text)
{
	fprintf(m->out, "%s %s\n", m->labels ? "}" : "", text);
}

void metrics_write_whole(struct metrics *m, prof_u128 value)
{
	char text[40], *at = text + sizeof(text) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + (int)(value % 10));
	while (value /= 10);
	put_value(m, at);
}

void metrics_write_real(struct metrics *m, double value)
{
	char text[40];

	if (isfinite(value))
		snprintf(text, sizeof(text), "%.17g", value);
	else
		strcpy(text, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
	put_value(m, text);
}

void metrics_write_end(struct metrics *m)
{
	if (m->openmetrics)
		fputs("# EOF\n", m->out);
}
