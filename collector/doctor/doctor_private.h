// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of checks, trials (both in doctor_check.c), and the parts of the examination, one file
 * each. */
#pragma once

#include "collector/doctor/doctor.h"

/* One more check; those beyond DOCTOR_MOST are lost, which a test would see. */
void doctor_add(struct doctor *d, const char *name, enum doctor_level level, const char *format,
		...) __attribute__((format(printf, 4, 5)));
/* What to do about the check that was added last. */
void doctor_remedy(struct doctor *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

void doctor_library(struct doctor *d); /* and a trial of it */
void doctor_files(struct doctor *d);
void doctor_clocks(struct doctor *d);
void doctor_cpus(struct doctor *d);
void doctor_kernel(struct doctor *d);
void doctor_kernel_session(struct doctor *d);

/* Run `argv` with LD_PRELOAD=`library` and, unless NULL, SCPROF_OUT=`directory`; what it prints
 * (both streams) goes to `text`. Its wait status, or -1. Not for long outputs. */
int doctor_try(char *const argv[], const char *library, const char *directory, char *text,
	       size_t size);

/* Makes a directory of the trial's own in TMPDIR, /tmp or memory. 0; -1 and errno. */
int doctor_directory(char *path, size_t size);
