// SPDX-License-Identifier: GPL-3.0-or-later
/* One run between two rests, as `scprof displace` makes them, around a run that is
 * profiled. */
#include "run_displace.h"

#include <string.h>

#include "cpus.h"
#include "displace_print.h"
#include "displace_summary.h"
#include "say.h"

#define FAILED	   125
#define REST_S	   1.0
#define CONFIDENCE 0.95

int run_displace_open(struct run_displace *r)
{
	struct displace_options options = {0};
	struct profile_error err;
	int stopped;

	if (cpus_choose(NULL, &options.cpus, &err) || !(r->d = displace_open(&options, &err))) {
		say(err.text);
		return FAILED;
	}
	r->cpus = options.cpus;
	stopped = displace_rest(r->d, REST_S);
	if (!stopped && !displace_run_begin(r->d, &err))
		return 0;
	if (!stopped)
		say(err.text);
	run_displace_abandon(r);
	return stopped ? 128 + stopped : FAILED;
}

struct launch_hold run_displace_hold(struct run_displace *r)
{
	return (struct launch_hold){displace_run_born, r->d};
}

int run_displace_wait(struct run_displace *r, struct launch *l)
{
	const struct launch_watch watch = {DISPLACE_TICK_MS, displace_run_tick, displace_run_ended,
					   r->d};
	struct profile_error err;
	int status;

	if (!r->d)
		return launch_wait(l);
	status = launch_wait_watched(l, &watch, &r->usage);
	r->ended = !displace_run_end(r->d, &r->usage, &err);
	if (!r->ended)
		say(err.text);
	return status;
}

static void print(const struct run_displace *r, const struct displace_run *run,
		  struct displacement_value switching, char **command)
{
	const struct displace_wishes wishes = {
		.cpus = r->cpus, .confidence = CONFIDENCE, .command = command};
	struct displace_summary s;

	if (displace_summarise(&s, run, 1, CONFIDENCE, switching)) {
		say("no memory for the account of displacement");
		return;
	}
	displace_print_text(stderr, &wishes, &s, NULL);
	displace_summary_free(&s);
}

void run_displace_finish(struct run_displace *r, char **command, bool interrupted)
{
	struct profile_error err;
	struct displace_run run;

	if (!r->d)
		return;
	if (r->ended && !interrupted)
		displace_rest(r->d, REST_S);
	if (r->ended && displace_run_settle(r->d, &run, &err)) {
		say(err.text);
	} else if (r->ended) {
		print(r, &run, displace_switching(r->d), command);
		displace_run_free(&run);
	}
	run_displace_abandon(r);
}

void run_displace_abandon(struct run_displace *r)
{
	if (r->d)
		displace_close(r->d);
	r->d = NULL;
}
