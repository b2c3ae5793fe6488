// SPDX-License-Identifier: GPL-3.0-or-later
/* What the exported functions of libc mean to a thread that is inside one. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_NAMES_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_NAMES_H

#include "collector/attach/safe_point_objects.h"

enum safe_point_meaning safe_point_names_meaning(const char *name);

#endif
