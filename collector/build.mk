# SPDX-License-Identifier: GPL-3.0-or-later
# The counter's rules are one file an architecture.
COLLECTOR_ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

COLLECTOR_SRC = \
	collector/clocks.c \
	collector/clocks_cpus.c \
	collector/clocks_drift.c \
	collector/clocks_measure.c \
	collector/clocks_read.c \
	collector/clocks_verdict.c \
	collector/counter_$(COLLECTOR_ARCH).c \
	collector/duration.c \
	collector/elf_facts.c \
	collector/program.c \
	collector/program_find.c \
	collector/program_notice.c \
	collector/random.c \
	collector/ticker.c \
	collector/ticker_schedule.c
