// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof bench: how long a function of a shared library takes, or a command. */
#include "cli/cmd.h"

#include "cli/bench/bench_options.h"
#include "collector/launch/launch.h"
#include "cli/messages/progress.h"
#include "cli/usage/output.h"
#include "cli/messages/complaint.h"

static int status_of(enum bench_end end, const struct bench_error *err)
{
	static const int status[] = {[BENCH_DONE] = 0, [BENCH_BAD] = 2,	    [BENCH_FAILED] = 1,
				     [BENCH_DIED] = 3, [BENCH_ENDLESS] = 4, [BENCH_STOPPED] = 1};

	complaint_say(BENCH_COMMAND, "%s", err->text);
	if (end == BENCH_STOPPED)
		signal_wait_raise(err->signal);
	return status[end];
}

static int print(const struct bench_options *o, const struct bench_record *record)
{
	struct bench_summary summary;
	int result;

	if (bench_summary_make(&summary, &o->plan, record, &o->wishes)) {
		complaint_say(BENCH_COMMAND, "no memory for the results");
		return 1;
	}
	result = o->json ? bench_print_json(o, &summary) : bench_print_text(o, &summary);
	if (result)
		output_lost("scprof bench");
	bench_summary_free(&summary);
	return result ? bench_options_usage.failure : 0;
}

static void tell(void *progress, double share)
{
	progress_show(progress, share, "replications");
}

static int measure(struct bench_options *o)
{
	struct bench_record *record;
	struct progress progress;
	struct bench_error err;
	enum bench_end end;
	char why[256];
	int status;

	if (bench_set_clock(&o->plan, o->clock, why, sizeof(why))) {
		complaint_say(BENCH_COMMAND, "--clock tsc: %s", why);
		return 2;
	}
	progress_begin(&progress, "scprof bench", true);
	o->plan.progress = progress.shown ? tell : NULL;
	o->plan.context = &progress;
	end = bench_run(&o->plan, &record, &err);
	progress_clear(&progress);
	if (end != BENCH_DONE)
		return status_of(end, &err);
	status = print(o, record);
	bench_free_record(record, &o->plan);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	static struct bench_options options;
	int status = bench_options_parse(argc, argv, &options);

	if (status != OPTIONS_GO)
		return status;
	status = measure(&options);
	bench_arguments_free(&options.arguments);
	return status;
}
