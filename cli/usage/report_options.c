// SPDX-License-Identifier: GPL-3.0-or-later
/* Not every format can show every grouping, nor every output take every format. */
#include "cli/usage/report_options.h"

#include <ctype.h>

#include "report/wording/utf8.h"

int report_options_take(struct report_choice *c, const struct usage *u, int code, const char *value)
{
	c->sort_given |= code == USAGE_SORT;
	c->format_given |= code == USAGE_FORMAT;
	if (code != USAGE_FORMAT || !report_names_parse_format(value, &c->options.format))
		return 0;
	return complaint_say(u->command, "no format '%s'; there are: %s", value,
			     report_names_formats);
}

/* Rows of gaps, threads and processes have no call paths. */
static bool by_other(const struct report_options *o)
{
	return o->by == REPORT_BY_GAP || o->by == REPORT_BY_THREAD || o->by == REPORT_BY_PROCESS;
}

static int check_rows(const struct report_options *o, const struct usage *u)
{
	unsigned traits = report_names_format_traits(o->format);

	if (traits & REPORT_OF_STACKS && by_other(o))
		return complaint_say(u->command,
				     "this format has call paths only, no rows by %s. Use --by "
				     "path, site or function, or --format text, json, html or csv",
				     report_names_by(o->by));
	if (o->sort != REPORT_SORT_TIME && (by_other(o) || !(traits & REPORT_IN_ORDER)))
		return complaint_say(u->command,
				     "--sort goes with --by path, site or function, and with "
				     "--format text, json or csv");
	return 0;
}

const char *report_options_strange_ending(const char *output)
{
	const char *name = output ? base_name(output) : "", *dot = strrchr(name, '.');
	enum report_format format;

	return dot && dot > name && isalpha((unsigned char)dot[1]) &&
			       report_names_format_of(output, &format)
		       ? dot
		       : NULL;
}

bool report_options_refuse_ending(const char *command, const char *output, bool profile)
{
	const char *dot = report_options_strange_ending(output);

	if (!dot || (profile && !strcmp(dot, ".scp")))
		return false;
	complaint_say(command, "-o %.300s: nothing ends in %.40s. A report ends in %s%s", output,
		      dot, report_names_endings,
		      profile ? "; a profile in .scp" : "; other names need --format");
	return true;
}

int report_options_name_result(const char *output, enum report_format *format)
{
	enum report_format named = REPORT_TEXT;

	report_names_format_of(output, &named);
	if (named > REPORT_HTML || report_options_strange_ending(output))
		return -1;
	*format = named;
	return 0;
}

int report_options_settle(struct report_choice *c, const struct usage *u, const char *output,
			  bool terminal)
{
	struct report_options *o = &c->options;

	if (!c->format_given && report_options_refuse_ending(u->command, output, false))
		return -1;
	if (output && !c->format_given)
		report_names_format_of(output, &o->format);
	if (check_rows(o, u))
		return -1;
	if (report_names_format_traits(o->format) & REPORT_BINARY && !output && terminal)
		return complaint_say(u->command,
				     "this format is not for a terminal. Name a file with "
				     "-o, or pipe it on");
	/* what is read by a script keeps its columns */
	o->cpu_first = terminal && !output && !c->sort_given;
	return 0;
}
