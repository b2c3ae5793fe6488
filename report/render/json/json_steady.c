// SPDX-License-Identifier: GPL-3.0-or-later
/* Whether the mean of a site is one number: warm-up, first call, drift, modes and outliers. */
#include "report/render/json/json.h"

#include <math.h>

static void put_warmup(struct json_writer *w, const struct report_steadiness *s)
{
	if (!s->warmup_calls) {
		json_write_null(w, "warm_up");
		return;
	}
	json_write_open(w, "warm_up", '{');
	json_write_count(w, "calls", s->warmup_calls);
	json_write_number(w, "mean_ns", s->warmup_ns);
	json_write_flag(w, "set_aside", s->warmup_aside);
	json_write_close(w, '}');
}

static void put_first(struct json_writer *w, const struct report_steadiness *s)
{
	json_write_open(w, "first_call", '{');
	json_write_number(w, "ns", s->first_ns);
	json_write_number(w, "ratio", s->first_ratio);
	json_write_number(w, "share_as_long", s->first_share);
	json_write_close(w, '}');
}

static void put_drift(struct json_writer *w, const struct report_steadiness *s)
{
	static const char *const kinds[] = {
		[STATS_STEADY] = "none", [STATS_TREND] = "trend", [STATS_STEP] = "step"};

	if (!s->drift_known) {
		json_write_null(w, "drift");
		return;
	}
	json_write_open(w, "drift", '{');
	json_write_text(w, "kind", kinds[s->drift]);
	json_write_number(w, "begin_ns", s->begin_ns);
	json_write_number(w, "end_ns", s->end_ns);
	json_write_number(w, "change", s->change);
	json_write_number(w, "at", s->step_at);
	json_write_close(w, '}');
}

static void put_modes(struct json_writer *w, const struct report_steadiness *s)
{
	if (!s->modes) {
		json_write_null(w, "modes");
		return;
	}
	json_write_open(w, "modes", '[');
	for (unsigned i = 0; i < s->modes; i++) {
		json_write_open(w, NULL, '{');
		json_write_number(w, "median_ns", s->mode_ns[i]);
		json_write_number(w, "share_of_calls", s->mode_calls[i]);
		json_write_number(w, "share_of_time", s->mode_time[i]);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void put_outliers(struct json_writer *w, const struct report_steadiness *s)
{
	if (!isfinite(s->fence_ns)) {
		json_write_null(w, "outliers");
		return;
	}
	json_write_open(w, "outliers", '{');
	json_write_number(w, "fence_ns", s->fence_ns);
	json_write_count(w, "calls", s->outliers);
	json_write_number(w, "total_ns", s->outlier_ns);
	json_write_number(w, "share_of_calls", s->outlier_calls);
	json_write_number(w, "share_of_time", s->outlier_time);
	json_write_close(w, '}');
}

void json_steady_write(struct json_writer *w, const struct report_site *site)
{
	const struct report_steadiness *s = &site->steadiness;

	if (site->overflow) {
		json_write_null(w, "steadiness");
		return;
	}
	json_write_open(w, "steadiness", '{');
	put_warmup(w, s);
	put_first(w, s);
	put_drift(w, s);
	put_modes(w, s);
	put_outliers(w, s);
	json_write_number(w, "longest_after_s", s->longest_after_s);
	json_write_close(w, '}');
}
