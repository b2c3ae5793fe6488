# SPDX-License-Identifier: GPL-3.0-or-later
STATS_SRC = \
	stats/compare/between_runs.c \
	stats/compare/biweight.c \
	stats/compare/compare.c \
	stats/compare/compare_counts.c \
	stats/compare/trimmed.c \
	stats/displacement/displacement.c \
	stats/displacement/woodside.c \
	stats/histogram/bimodality.c \
	stats/histogram/histogram.c \
	stats/histogram/outliers.c \
	stats/histogram/percentile_limits.c \
	stats/histogram/tail.c \
	stats/histogram/tail_index.c \
	stats/mean/autocorrelation.c \
	stats/mean/caution.c \
	stats/mean/mean_interval.c \
	stats/mean/phase_test.c \
	stats/mean/proportion.c \
	stats/mean/replications.c \
	stats/mean/states.c \
	stats/mean/stopping.c \
	stats/mean/unbatched.c \
	stats/numerics/distributions.c \
	stats/numerics/moments.c \
	stats/numerics/random.c \
	stats/planning/beilner.c \
	stats/planning/plan.c \
	stats/regression/collinearity.c \
	stats/regression/line.c \
	stats/regression/site_costs.c \
	stats/sequential/sequential.c \
	stats/stationarity/drift.c \
	stats/stationarity/rank_series.c \
	stats/stationarity/warmup.c
