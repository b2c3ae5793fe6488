// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof diff: two profiles in, or several a side; what changed out. */
#include "cli/cmd.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/messages/complaint.h"
#include "report/compare/diff.h"
#include "report/report_print.h"
#include "cli/diff_options.h"
#include "report/symbols/function_names.h"
#include "cli/usage/output.h"

#define COMMAND "scprof diff"

static void free_all(struct profile **profile, uint32_t files)
{
	for (uint32_t i = 0; profile && i < files; i++)
		if (profile[i])
			profile_free(profile[i]);
	free(profile);
}

/* Each profile on its own: they are different runs. One that cannot be read ends it, as a
 * verdict from fewer runs would be another one; all of them are named. */
static struct profile **open_all(const struct diff_arguments *a)
{
	struct profile **profile = calloc(a->files + 1, sizeof(*profile));
	struct profile_error err;
	bool failed = false;

	if (!profile)
		complaint_say(COMMAND, "out of memory");
	for (uint32_t i = 0; profile && i < a->files; i++) {
		profile[i] = profile_open(&a->file[i], 1, &err);
		if (profile[i]) {
			function_names_fill(profile[i]);
			continue;
		}
		complaint_lines(COMMAND, err.text);
		failed = true;
	}
	if (!failed)
		return profile;
	free_all(profile, a->files);
	return NULL;
}

static int print_to(struct diff *d, const char *path)
{
	struct output out;

	if (output_begin(&out, COMMAND, path))
		return -1;
	return output_end(&out, COMMAND, report_print_diff(d, out.stream));
}

static int compare(const struct diff_arguments *a, struct profile **profile)
{
	struct profile_error why;
	struct diff *d = diff_model_build((const struct profile *const *)profile, a->files,
					  a->bases, &a->options, &why);
	int status;

	if (!d) {
		complaint_lines(COMMAND, why.text);
		return 2;
	}
	status = print_to(d, a->output) < 0 ? 2 : d->status;
	diff_model_free(d);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_arguments a;
	struct profile **profile;
	int status = diff_options_parse(argc, argv, &a);

	if (status != OPTIONS_GO)
		return status;
	profile = output_refuse(COMMAND, a.output, a.file, a.files) ? NULL : open_all(&a);
	status = profile ? compare(&a, profile) : 2;
	free_all(profile, a.files);
	diff_options_free(&a);
	return status;
}
