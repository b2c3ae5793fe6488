// SPDX-License-Identifier: GPL-3.0-or-later
/* By how much scprof made the program slower, and within which limits that is known. */
#ifndef SCPROF_REPORT_MODEL_PERTURBATION_H
#define SCPROF_REPORT_MODEL_PERTURBATION_H

#include "report/report.h"

/* Sets perturbation_ns and its limits; NAN without a measured overhead. After the sites, the gaps
 * and the threads are filled. */
void perturbation_fill(struct report *r);

#endif
