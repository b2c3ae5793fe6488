# SPDX-License-Identifier: GPL-3.0-or-later
STATS_SRC = \
	stats/causal/slopes.c \
	stats/causal/slopes_predict.c \
	stats/causal/slopes_shape.c \
	stats/causal/slopes_system.c \
	stats/compare/between_runs.c \
	stats/compare/compare.c \
	stats/compare/trimmed.c \
	stats/displacement/displacement.c \
	stats/histogram/bimodality.c \
	stats/histogram/histogram.c \
	stats/histogram/tail.c \
	stats/mean/autocorrelation.c \
	stats/mean/mean_interval.c \
	stats/mean/phase_test.c \
	stats/mean/proportion.c \
	stats/mean/replications.c \
	stats/mean/states.c \
	stats/mean/stopping.c \
	stats/numerics/distributions.c \
	stats/planning/plan.c \
	stats/regression/collinearity.c \
	stats/regression/line.c \
	stats/regression/site_costs.c \
	stats/sequential/sequential.c \
	stats/stationarity/drift.c \
	stats/stationarity/rank_series.c \
	stats/stationarity/warmup.c
