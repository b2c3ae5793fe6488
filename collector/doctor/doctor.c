// SPDX-License-Identifier: GPL-3.0-or-later
/* The order of the checks is that of the output: first what everything else depends on. */
#include "collector/doctor/doctor_private.h"

void doctor_examine(struct doctor *d, const char *version, const char *program)
{
	*d = (struct doctor){0};
	doctor_library(d, version);
	if (program)
		doctor_program(d, program);
	doctor_files(d);
	doctor_kernel_session(d);
	doctor_clocks(d);
	doctor_cpus(d);
	doctor_kernel(d);
}
