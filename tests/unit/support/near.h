// SPDX-License-Identifier: GPL-3.0-or-later
/* cmocka compares floats only in single precision, where 5042521.4 and 5042521.6 are equal. */
#ifndef SCPROF_TESTS_NEAR_H
#define SCPROF_TESTS_NEAR_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

static inline void near_check(double found, double wanted, double within, const char *file,
			      int line)
{
	if (fabs(found - wanted) <= within)
		return;
	print_error("%.12g is not %.12g +- %.3g\n", found, wanted, within);
	_fail(file, line);
}

/* |found - wanted| <= within; a NAN is near nothing. */
#define assert_near(found, wanted, within)                                                         \
	near_check((found), (wanted), (within), __FILE__, __LINE__)

#endif
