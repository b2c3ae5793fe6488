// SPDX-License-Identifier: GPL-3.0-or-later
/* Whether the counter is fit to measure with. */
#include "collector/clocks/counter.h"

#include <stdio.h>
#include <string.h>

#include "collector/machine/kernel_file.h"
#include "profile/base/words.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>

/* A TSC is fit to measure with if the processor says that it is invariant and
 * the kernel, which watches it against other clocks, has not rejected it. */
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/"

/* Clock sources that are the TSC, read as such or scaled by a hypervisor. */
static const char *const tsc_based[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen"};

static bool invariant(void)
{
	unsigned int a, b, c, d = 0;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

bool counter_is_trusted(char *why, size_t size)
{
	char available[256], current[64];
	int mode = PR_TSC_ENABLE;

	if (!prctl(PR_GET_TSC, &mode, 0UL, 0UL, 0UL) && mode != PR_TSC_ENABLE) {
		snprintf(why, size, "reading the TSC is forbidden here (PR_SET_TSC)");
		return false;
	}
	if (!invariant()) {
		snprintf(why, size,
			 "the processor does not say that its TSC has one constant rate");
		return false;
	}
	if (kernel_file_line(available, sizeof(available), CLOCKSOURCE "available_clocksource") ||
	    kernel_file_line(current, sizeof(current), CLOCKSOURCE "current_clocksource")) {
		snprintf(why, size, "what the kernel thinks of the TSC cannot be read from /sys");
		return false;
	}
	for (size_t i = 0; i < sizeof(tsc_based) / sizeof(*tsc_based); i++)
		if (!strcmp(current, tsc_based[i]) && words_have(available, " ", "tsc")) {
			snprintf(why, size,
				 "the TSC is invariant and the kernel trusts it (clocksource %s)",
				 current);
			return true;
		}
	snprintf(why, size, "the kernel does not keep time by the TSC (clocksource %s of: %s)",
		 current, available);
	return false;
}
#else
/* The generic timer is architected to run at one constant rate on all CPUs,
 * and Linux lets programs read it: it is what the vDSO itself reads. */
bool counter_is_trusted(char *why, size_t size)
{
	snprintf(why, size, "the architecture's generic timer has one rate on all CPUs");
	return true;
}
#endif
