# SPDX-License-Identifier: GPL-3.0-or-later
STATS_SRC = \
	stats/autocorrelation.c \
	stats/beilner.c \
	stats/between.c \
	stats/bimodality.c \
	stats/compare.c \
	stats/compare_counts.c \
	stats/displacement.c \
	stats/distributions.c \
	stats/drift.c \
	stats/feitelson.c \
	stats/forecast.c \
	stats/histogram.c \
	stats/kbest.c \
	stats/line.c \
	stats/line_blocks.c \
	stats/mean_interval.c \
	stats/moments.c \
	stats/outliers.c \
	stats/percentile_limits.c \
	stats/phase_test.c \
	stats/plan.c \
	stats/plan_exact.c \
	stats/proportion.c \
	stats/random.c \
	stats/renewal.c \
	stats/replications.c \
	stats/sample.c \
	stats/series.c \
	stats/site_costs.c \
	stats/site_groups.c \
	stats/stopping.c \
	stats/trimmed.c \
	stats/unbatched.c \
	stats/undisturbed.c \
	stats/warmup.c \
	stats/woodside.c
