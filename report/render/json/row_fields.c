// SPDX-License-Identifier: GPL-3.0-or-later
/* Tables of fields, in the order in which they are printed. */
#include "report/render/json/row_fields.h"

#include "report/report.h"

/* Members of `struct of`, each under its own name, and a comma behind each. */
#define MEMBERS(of, ...)	    PROF_EACH(MEMBER, of, , __VA_ARGS__)
#define MEMBER(of, nothing, member) ROW_SAME(of, member),

const struct row_field row_fields_function[] = {ROW_FIELD("symbol", prof_function, name),
						ROW_SAME(prof_function, library), ROW_END};

const struct row_field row_fields_estimate[] = {
	ROW_FIELD("mean_ns", mean_interval, mean),
	ROW_FIELD("ci_low_ns", mean_interval, low),
	ROW_FIELD("ci_high_ns", mean_interval, high),
	ROW_SAME(mean_interval, method),
	ROW_FIELD("standard_error_ns", mean_interval, error),
	ROW_FIELD("degrees_of_freedom", mean_interval, freedom),
	ROW_SAME(mean_interval, design_effect),
	ROW_END};

#define COST(member)                                                                               \
	ROW_FIELD(#member "_ns", report_displaced, member.ns),                                     \
		ROW_FIELD(#member "_ci_low_ns", report_displaced, member.low_ns),                  \
		ROW_FIELD(#member "_ci_high_ns", report_displaced, member.high_ns),                \
		ROW_FIELD(#member "_error_ns", report_displaced, member.error_ns)
const struct row_field row_fields_cost[] = {
	COST(uncharged),
	COST(both),
	COST(true_cost),
	ROW_FIELD("uncharged_p", report_displaced, uncharged.p),
	ROW_FIELD("uncharged_significant", report_displaced, significant),
	ROW_END};

const struct row_field row_fields_windows[] = {
	ROW_FIELD("displacement_spans", report_displaced, spans),
	ROW_FIELD("displacement_windows_kept", report_displaced, kept),
	ROW_FIELD("displacement_others_share", report_displaced, busy), ROW_END};

const struct row_field row_fields_volume[] = {MEMBERS(report_site, calls, bytes, ticks, paths)
						      ROW_END};

const struct row_field row_fields_overhead[] = {
	ROW_FIELD("apriori_error_ns", report_site, apriori_ns),
	MEMBERS(report_site, raw_mean_ns, overhead_ns, overhead_error_ns, inner_calls,
		inner_overhead_ns) ROW_END};

const struct row_field row_fields_total[] = {
	MEMBERS(report_site, total_ns, mean_calls, set_aside_ns, outer_calls, outer_ns, self_ns,
		share, waits, waiting_share, min_ns, max_ns) ROW_END};

const struct row_field row_fields_size[] = {
	ROW_SAME(report_site, per_call_ns),
	ROW_FIELD("per_call_ci_low_ns", report_site, per_call_low_ns),
	ROW_FIELD("per_call_ci_high_ns", report_site, per_call_high_ns),
	ROW_SAME(report_site, per_byte_ns),
	ROW_FIELD("per_byte_ci_low_ns", report_site, per_byte_low_ns),
	ROW_FIELD("per_byte_ci_high_ns", report_site, per_byte_high_ns),
	ROW_SAME(report_site, per_byte_matters),
	ROW_END};

const struct row_field row_fields_interval[] = {
	ROW_FIELD("mean_ns", mean_interval, mean), ROW_FIELD("ci_low_ns", mean_interval, low),
	ROW_FIELD("ci_high_ns", mean_interval, high), ROW_END};

#define PART(member) ROW_INTERVAL(#member "_", report_states, member)
const struct row_field row_fields_states[] = {ROW_SAME(report_states, switched_calls),
					      PART(unswitched),
					      PART(on_cpu),
					      PART(runnable),
					      PART(asleep),
					      PART(charged),
					      ROW_END};

#define SLOW(name, member) ROW_FIELD("slow_" name, report_site, slow.member)
const struct row_field row_fields_slow[] = {SLOW("ticks", ticks), SLOW("covers_fast_mean", covers),
					    ROW_INTERVAL("slow_", report_site, slow.estimate),
					    ROW_END};

#define PERCENTILE(name, p)                                                                        \
	ROW_FIELD(name "_ns", report_percentiles, at[REPORT_##p].ns),                              \
		ROW_FIELD(name "_ci_low_ns", report_percentiles, at[REPORT_##p].low_ns),           \
		ROW_FIELD(name "_ci_high_ns", report_percentiles, at[REPORT_##p].high_ns)
const struct row_field row_fields_percentiles[] = {PERCENTILE("p50", P50), PERCENTILE("p90", P90),
						   PERCENTILE("p99", P99), PERCENTILE("p999", P999),
						   ROW_END};
const struct row_field row_fields_outliers[] = {
	ROW_FIELD("outlier_calls", report_steadiness, outliers),
	ROW_FIELD("outlier_total_ns", report_steadiness, outlier_ns), ROW_END};

const struct row_field row_fields_threads_time[] = {
	ROW_FIELD("cpu_in_calls", report_threads_time, cpu_in_calls_s),
	ROW_FIELD("cpu_outside", report_threads_time, cpu_outside_s),
	ROW_FIELD("recording", report_threads_time, recording_s),
	ROW_FIELD("runnable", report_threads_time, runnable_s),
	ROW_FIELD("asleep_in_calls", report_threads_time, asleep_in_calls_s),
	ROW_FIELD("not_recorded", report_threads_time, not_recorded_s),
	ROW_END};

const struct row_field row_fields_computing[] = {MEMBERS(report_computing_row, function, module,
							 language, samples, share, share_low,
							 share_high, cpu_s) ROW_END};

const struct row_field row_fields_gap[] = {ROW_SAME(report_gap, calls),
					   ROW_INTERVAL("", report_gap, estimate),
					   ROW_FIELD("method", report_gap, estimate.method),
					   MEMBERS(report_gap, max_ns, total_ns, share) ROW_END};

const struct row_field row_fields_thread[] = {
	MEMBERS(report_thread, name, pid, tid, threads, live, calls, time_ns, calls_ns, waiting_ns,
		gaps_ns, nested_ns, recording_ns, remainder_ns) ROW_END};

const struct row_field row_fields_process[] = {MEMBERS(report_process, threads, calls, calls_ns,
						       waiting_ns, recording_ns, time_ns) ROW_END};
