// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof diff: two profiles in, or several a side; what changed out. Or two commands:
 * --live, --runs. */
#include "cli/cmd.h"

#include "cli/diff/diff_cli.h"
#include "cli/messages/complaint.h"
#include "cli/messages/progress.h"
#include "cli/run/child_run.h"
#include "cli/usage/output.h"
#include "report/report.h"
#include "report/symbols/function_names.h"

static int print_to(struct diff *d, const char *path)
{
	struct output out;

	if (output_begin(&out, DIFF_COMMAND, path))
		return -1;
	return output_end(&out, DIFF_COMMAND, report_print_diff(d, out.stream));
}

static int compare(const struct diff_arguments *a, const char *const *file, uint32_t files,
		   uint32_t bases)
{
	struct diff_files f;
	int status = 2;

	if (!diff_files_compare(&f, file, files, bases, &a->options) &&
	    !print_to(f.diff, a->output))
		status = f.diff->status;
	diff_files_free(&f);
	return status;
}

/* 0, or -1 having said why. */
static int record(struct diff_pairs *p)
{
	struct progress progress;
	int failed = 0;

	progress_begin(&progress, DIFF_COMMAND, true);
	for (uint32_t i = 0; i < p->pairs && !failed; i++) {
		progress_show(&progress, (double)i / p->pairs, "run %u of %u of each", i + 1,
			      p->pairs);
		failed = diff_pairs_run(p, i);
	}
	progress_clear(&progress);
	if (failed && child_run_stopped())
		complaint_say(DIFF_COMMAND, "interrupted: nothing is compared");
	return failed;
}

/* --runs: the profiles of both commands' runs are compared as files are. */
static int compare_runs(const struct diff_arguments *a)
{
	struct diff_pairs p;
	int status = 2;

	if (!diff_pairs_begin(&p, a) && !record(&p))
		status = compare(a, p.file, 2 * p.pairs, p.pairs);
	diff_pairs_end(&p);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_arguments a;
	int status = diff_options_parse(argc, argv, &a);

	if (status != OPTIONS_GO)
		return status;
	if (a.runs)
		status = compare_runs(&a);
	else if (a.live)
		status = diff_live(&a);
	else if (output_refuse(DIFF_COMMAND, a.output, a.file, a.files))
		status = 2;
	else
		status = compare(&a, a.file, a.files, a.bases);
	diff_options_free(&a);
	return status;
}
