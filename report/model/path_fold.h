// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths that are the same but for the places within their functions. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_PATH_FOLD_H
#define SCPROF_REPORT_MODEL_PATH_FOLD_H

#include "report/report.h"

/* By path of the profile: a number that paths share whose frames lie in the same functions of the
 * same modules, in the same order; with `site` only the frames of their sites (path_site.h). A
 * frame without a function's name is its address. Looks up the names of all frames, each once. To
 * be freed; NULL: out of memory. */
uint32_t *path_fold_numbers(struct report *r, bool site);

#endif
