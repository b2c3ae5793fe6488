// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_REPORT_WORDING_BASE_NAME_H
#define SCPROF_REPORT_WORDING_BASE_NAME_H

#include <string.h>

/* What follows the last slash; all of a path that ends in one. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
