// SPDX-License-Identifier: GPL-3.0-or-later
/* Below everything that runs in the child: each part of it can refuse. */
#include "collector/microbench/bench_subject.h"

#include <stdarg.h>
#include <stdio.h>

int bench_subject_refuse(struct bench_record *r, enum bench_end end, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(r->why, sizeof(r->why), format, arguments);
	va_end(arguments);
	r->refused = (uint32_t)end;
	return -1;
}
