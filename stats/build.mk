# SPDX-License-Identifier: GPL-3.0-or-later
STATS_SRC = \
	stats/beilner.c \
	stats/displacement.c \
	stats/site_costs.c \
	stats/site_groups.c \
	stats/woodside.c \
	stats/plan.c \
	stats/stopping.c \
	stats/plan_exact.c \
	stats/renewal.c \
	stats/forecast.c \
	stats/feitelson.c \
	stats/sample.c \
	stats/moments.c \
	stats/hist.c \
	stats/line.c \
	stats/line_blocks.c \
	stats/compare.c \
	stats/compare_counts.c \
	stats/between.c \
	stats/undisturbed.c \
	stats/trimmed.c \
	stats/kbest.c \
	stats/replications.c \
	stats/series.c \
	stats/drift.c \
	stats/warmup.c \
	stats/hist_limits.c \
	stats/hist_modes.c \
	stats/hist_outliers.c \
	stats/phase.c \
	stats/estimate.c \
	stats/apart.c \
	stats/serial.c \
	stats/proportion.c
