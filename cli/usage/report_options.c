// SPDX-License-Identifier: GPL-3.0-or-later
/* Not every format can show every grouping, nor every output take every format. */
#include "cli/usage/report_options.h"

#include <ctype.h>
#include <stdio.h>

#include "cli/messages/complaint.h"
#include "report/wording/utf8.h"

struct caller {
	char name[48]; /* "scprof report" */
};

static struct caller caller_of(const struct usage *u)
{
	struct caller c;

	snprintf(c.name, sizeof(c.name), "scprof %s", u->command);
	return c;
}

static int take_format(struct report_choice *c, const struct usage *u, const char *value)
{
	c->format_given = true;
	if (report_names_parse_format(value, &c->options.format) == 0)
		return 0;
	return complaint_say(caller_of(u).name, "no format '%s'; there are: %s", value,
			     report_names_formats);
}

int report_options_take(struct report_choice *c, const struct usage *u, int code, const char *value)
{
	switch (code) {
	case USAGE_FORMAT:
		return take_format(c, u, value);
	case USAGE_SORT:
		c->sort_given = true;
		return 0;
	default:
		return 0;
	}
}

/* Rows of gaps, threads and processes have no call paths. */
static bool by_other(const struct report_options *o)
{
	return o->by == REPORT_BY_GAP || o->by == REPORT_BY_THREAD || o->by == REPORT_BY_PROCESS;
}

static int check_rows(const struct report_options *o, const char *command)
{
	unsigned traits = report_names_format_traits(o->format);

	if (traits & REPORT_OF_STACKS && by_other(o))
		return complaint_say(command,
				     "this format has call paths only, no rows by %s. Use --by "
				     "path, site or function, or --format text, json, html or csv",
				     report_names_by(o->by));
	if (o->sort != REPORT_SORT_TIME && (by_other(o) || !(traits & REPORT_IN_ORDER)))
		return complaint_say(command,
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

int report_options_settle(struct report_choice *c, const struct usage *u, const char *output,
			  bool terminal)
{
	struct report_options *o = &c->options;
	struct caller command = caller_of(u);

	if (!c->format_given && report_options_refuse_ending(command.name, output, false))
		return -1;
	if (output && !c->format_given)
		report_names_format_of(output, &o->format);
	if (check_rows(o, command.name))
		return -1;
	if (report_names_format_traits(o->format) & REPORT_BINARY && !output && terminal)
		return complaint_say(command.name,
				     "this format is not for a terminal. Name a file with "
				     "-o, or pipe it on");
	/* what is read by a script keeps its columns */
	o->cpu_first = terminal && !output && !c->sort_given;
	return 0;
}
