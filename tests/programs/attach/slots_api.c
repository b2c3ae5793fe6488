// SPDX-License-Identifier: GPL-3.0-or-later
/* libscprof.so with its slots in the test's hands. */
#include "preload/attach/slots.h"
#include "preload/attach/slots_stubs.h"

EXPORT struct scp_attach_slots slots_test_counts;

EXPORT void slots_test_write(void);
EXPORT void slots_test_put_back(void);
EXPORT bool slots_test_stubs(const char *path);

void slots_test_write(void)
{
	slots_test_counts = (struct scp_attach_slots){0};
	slots_write(&slots_test_counts);
}

void slots_test_put_back(void)
{
	slots_put_back(&slots_test_counts);
}

bool slots_test_stubs(const char *path)
{
	return slots_stubs_use(path);
}
