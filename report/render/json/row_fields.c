// SPDX-License-Identifier: GPL-3.0-or-later
/* Tables of fields, in the order in which they are printed. */
#include "report/render/json/row_fields.h"

#include "report/report.h"

/* The type follows from the model's. */
#define TYPE(value)                                                                                \
	_Generic(value, double: ROW_NUMBER, uint64_t: ROW_COUNT, uint32_t: ROW_COUNT32,            \
		 bool: ROW_FLAG, char *: ROW_TEXT, const char *: ROW_TEXT)
#define FIELD(name, of, member)                                                                    \
	{                                                                                          \
		name, TYPE(((struct of *)NULL)->member), offsetof(struct of, member)               \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, ROW_NUMBER, 0                                                                \
	}

const struct row_field row_fields_function[] = {
	FIELD("symbol", prof_function, name),
	FIELD("library", prof_function, library),
	END,
};

const struct row_field row_fields_estimate[] = {
	FIELD("mean_ns", mean_interval, mean),
	FIELD("ci_low_ns", mean_interval, low),
	FIELD("ci_high_ns", mean_interval, high),
	FIELD("method", mean_interval, method),
	FIELD("standard_error_ns", mean_interval, error),
	FIELD("degrees_of_freedom", mean_interval, freedom),
	FIELD("design_effect", mean_interval, design_effect),
	END,
};

const struct row_field row_fields_cost[] = {
	FIELD("uncharged_ns", report_displaced, uncharged.ns),
	FIELD("uncharged_ci_low_ns", report_displaced, uncharged.low_ns),
	FIELD("uncharged_ci_high_ns", report_displaced, uncharged.high_ns),
	FIELD("uncharged_error_ns", report_displaced, uncharged.error_ns),
	FIELD("both_ns", report_displaced, both.ns),
	FIELD("both_ci_low_ns", report_displaced, both.low_ns),
	FIELD("both_ci_high_ns", report_displaced, both.high_ns),
	FIELD("both_error_ns", report_displaced, both.error_ns),
	FIELD("true_cost_ns", report_displaced, true_cost.ns),
	FIELD("true_cost_ci_low_ns", report_displaced, true_cost.low_ns),
	FIELD("true_cost_ci_high_ns", report_displaced, true_cost.high_ns),
	FIELD("true_cost_error_ns", report_displaced, true_cost.error_ns),
	FIELD("uncharged_p", report_displaced, uncharged.p),
	FIELD("uncharged_significant", report_displaced, significant),
	END,
};

const struct row_field row_fields_windows[] = {
	FIELD("displacement_spans", report_displaced, spans),
	FIELD("displacement_windows_kept", report_displaced, kept),
	FIELD("displacement_others_share", report_displaced, busy),
	END,
};

const struct row_field row_fields_volume[] = {
	FIELD("calls", report_site, calls),
	FIELD("bytes", report_site, bytes),
	FIELD("ticks", report_site, ticks),
	FIELD("paths", report_site, paths),
	END,
};

const struct row_field row_fields_overhead[] = {
	FIELD("apriori_error_ns", report_site, apriori_ns),
	FIELD("raw_mean_ns", report_site, raw_mean_ns),
	FIELD("overhead_ns", report_site, overhead_ns),
	FIELD("overhead_error_ns", report_site, overhead_error_ns),
	FIELD("inner_calls", report_site, inner_calls),
	FIELD("inner_overhead_ns", report_site, inner_overhead_ns),
	END,
};

const struct row_field row_fields_total[] = {
	FIELD("total_ns", report_site, total_ns),
	FIELD("mean_calls", report_site, mean_calls),
	FIELD("set_aside_ns", report_site, set_aside_ns),
	FIELD("outer_calls", report_site, outer_calls),
	FIELD("outer_ns", report_site, outer_ns),
	FIELD("self_ns", report_site, self_ns),
	FIELD("share", report_site, share),
	FIELD("waits", report_site, waits),
	FIELD("waiting_share", report_site, waiting_share),
	FIELD("min_ns", report_site, min_ns),
	FIELD("max_ns", report_site, max_ns),
	END,
};

const struct row_field row_fields_size[] = {
	FIELD("per_call_ns", report_site, per_call_ns),
	FIELD("per_call_ci_low_ns", report_site, per_call_low_ns),
	FIELD("per_call_ci_high_ns", report_site, per_call_high_ns),
	FIELD("per_byte_ns", report_site, per_byte_ns),
	FIELD("per_byte_ci_low_ns", report_site, per_byte_low_ns),
	FIELD("per_byte_ci_high_ns", report_site, per_byte_high_ns),
	FIELD("per_byte_matters", report_site, per_byte_matters),
	END,
};

const struct row_field row_fields_interval[] = {
	FIELD("mean_ns", mean_interval, mean),
	FIELD("ci_low_ns", mean_interval, low),
	FIELD("ci_high_ns", mean_interval, high),
	END,
};

const struct row_field row_fields_states[] = {
	FIELD("switched_calls", report_states, switched_calls),
	FIELD("unswitched_mean_ns", report_states, unswitched.mean),
	FIELD("unswitched_ci_low_ns", report_states, unswitched.low),
	FIELD("unswitched_ci_high_ns", report_states, unswitched.high),
	FIELD("on_cpu_mean_ns", report_states, on_cpu.mean),
	FIELD("on_cpu_ci_low_ns", report_states, on_cpu.low),
	FIELD("on_cpu_ci_high_ns", report_states, on_cpu.high),
	FIELD("runnable_mean_ns", report_states, runnable.mean),
	FIELD("runnable_ci_low_ns", report_states, runnable.low),
	FIELD("runnable_ci_high_ns", report_states, runnable.high),
	FIELD("asleep_mean_ns", report_states, asleep.mean),
	FIELD("asleep_ci_low_ns", report_states, asleep.low),
	FIELD("asleep_ci_high_ns", report_states, asleep.high),
	FIELD("tail_lost_share", report_states, tail_lost),
	FIELD("tail_lost_ci_low", report_states, tail_lost_low),
	FIELD("tail_lost_ci_high", report_states, tail_lost_high),
	FIELD("tail_slept_share", report_states, tail_slept),
	FIELD("tail_slept_ci_low", report_states, tail_slept_low),
	FIELD("tail_slept_ci_high", report_states, tail_slept_high),
	FIELD("charged_mean_ns", report_states, charged.mean),
	FIELD("charged_ci_low_ns", report_states, charged.low),
	FIELD("charged_ci_high_ns", report_states, charged.high),
	END,
};

const struct row_field row_fields_threads_time[] = {
	FIELD("cpu_in_calls", report_threads_time, cpu_in_calls_s),
	FIELD("cpu_outside", report_threads_time, cpu_outside_s),
	FIELD("recording", report_threads_time, recording_s),
	FIELD("runnable", report_threads_time, runnable_s),
	FIELD("asleep_in_calls", report_threads_time, asleep_in_calls_s),
	FIELD("not_recorded", report_threads_time, not_recorded_s),
	END,
};

const struct row_field row_fields_switches[] = {
	FIELD("verified", scp_switches, verified),
	FIELD("missed", scp_switches, missed),
	FIELD("unfounded", scp_switches, unfounded),
	FIELD("readings", scp_switches, readings),
	END,
};

const struct row_field row_fields_gap[] = {
	FIELD("calls", report_gap, calls),
	FIELD("mean_ns", report_gap, estimate.mean),
	FIELD("ci_low_ns", report_gap, estimate.low),
	FIELD("ci_high_ns", report_gap, estimate.high),
	FIELD("method", report_gap, estimate.method),
	FIELD("max_ns", report_gap, max_ns),
	FIELD("total_ns", report_gap, total_ns),
	FIELD("share", report_gap, share),
	END,
};

const struct row_field row_fields_thread[] = {
	FIELD("name", report_thread, name),
	FIELD("pid", report_thread, pid),
	FIELD("tid", report_thread, tid),
	FIELD("threads", report_thread, threads),
	FIELD("live", report_thread, live),
	FIELD("calls", report_thread, calls),
	FIELD("time_ns", report_thread, time_ns),
	FIELD("calls_ns", report_thread, calls_ns),
	FIELD("waiting_ns", report_thread, waiting_ns),
	FIELD("gaps_ns", report_thread, gaps_ns),
	FIELD("nested_ns", report_thread, nested_ns),
	FIELD("recording_ns", report_thread, recording_ns),
	FIELD("remainder_ns", report_thread, remainder_ns),
	END,
};

const struct row_field row_fields_process[] = {
	FIELD("threads", report_process, threads),
	FIELD("calls", report_process, calls),
	FIELD("calls_ns", report_process, calls_ns),
	FIELD("waiting_ns", report_process, waiting_ns),
	FIELD("recording_ns", report_process, recording_ns),
	FIELD("time_ns", report_process, time_ns),
	END,
};
