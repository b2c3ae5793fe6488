// SPDX-License-Identifier: GPL-3.0-or-later
/* Files that a test made, as a model that holds what must hold of any; else the test fails. */
#ifndef MODEL_OPEN_H
#define MODEL_OPEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"

static inline struct profile *model_open(const char *const *paths, size_t count)
{
	struct profile_error err;
	struct profile *p = profile_open(paths, count, &err);

	if (!p)
		fail_msg("%s", err.text);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	return p;
}

#endif
