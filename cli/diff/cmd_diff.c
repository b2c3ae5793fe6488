// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof diff: two profiles in, or several a side; what changed out. Or two commands:
 * --live, --runs. */
#include "cli/cmd.h"

#include "cli/diff/diff_files.h"
#include "cli/diff/diff_live.h"
#include "cli/diff/diff_options.h"
#include "cli/diff/diff_recorded.h"
#include "cli/messages/complaint.h"
#include "cli/usage/output.h"
#include "report/report.h"

static int print_to(struct diff *d, const char *path)
{
	struct output out;

	if (output_begin(&out, DIFF_COMMAND, path))
		return -1;
	return output_end(&out, DIFF_COMMAND, report_print_diff(d, out.stream));
}

static int compare(const struct diff_arguments *a, struct profile **profile, uint32_t files,
		   uint32_t bases)
{
	struct profile_error why;
	struct diff *d = diff_model_build((const struct profile *const *)profile, files, bases,
					  &a->options, &why);
	int status;

	if (!d) {
		complaint_lines(DIFF_COMMAND, why.text);
		return 2;
	}
	status = print_to(d, a->output) < 0 ? 2 : d->status;
	diff_model_free(d);
	return status;
}

static int compare_files(const struct diff_arguments *a)
{
	struct profile **profile = output_refuse(DIFF_COMMAND, a->output, a->file, a->files)
					   ? NULL
					   : diff_files_open(a->file, a->files);
	int status = profile ? compare(a, profile, a->files, a->bases) : 2;

	diff_files_free(profile, a->files);
	return status;
}

/* Of --runs: the old ones first. */
static int compare_recorded(const struct diff_arguments *a, const char *const *file)
{
	struct profile **profile = diff_files_open(file, 2 * a->runs);
	int status = profile ? compare(a, profile, 2 * a->runs, a->runs) : 2;

	diff_files_free(profile, 2 * a->runs);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_arguments a;
	int status = diff_options_parse(argc, argv, &a);

	if (status != OPTIONS_GO)
		return status;
	if (a.runs)
		status = diff_recorded(&a, compare_recorded);
	else
		status = a.live ? diff_live(&a) : compare_files(&a);
	diff_options_free(&a);
	return status;
}
