// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof doctor` found, for people and for programs. */
#ifndef SCPROF_CLI_DOCTOR_PRINT_H
#define SCPROF_CLI_DOCTOR_PRINT_H

#include "collector/doctor/doctor.h"

/* On standard output. 0, or -1. */
int doctor_print_text(const struct doctor *d);
int doctor_print_json(const struct doctor *d, int status);

#endif
