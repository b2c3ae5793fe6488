// SPDX-License-Identifier: GPL-3.0-or-later
/* libscprof.so with its slots in the test's hands, in a session that has none of its own. */
#include <unistd.h>

#include "preload/attach/slots.h"
#include "preload/process/settings.h"
#include "preload/start/lifecycle.h"

EXPORT struct scp_attach_slots slots_test_counts;

EXPORT bool slots_test_begin(void);
EXPORT void slots_test_write(void);
EXPORT void slots_test_put_back(void);
EXPORT bool slots_test_stubs(const char *path);

/* By the environment. */
bool slots_test_begin(void)
{
	static char text[SCP_ATTACH_TEXT_BYTES];
	uint32_t error, bytes = 0;
	for (char **e = environ; *e; e++)
		if (text_begins_with(*e, "SCPROF_"))
			bytes = (uint32_t)text_append(text, sizeof text, bytes, *e) + 1;
	return settings_take_order(text, bytes) &&
	       lifecycle_begin_session(true, &error) == SCP_ATTACH_FINE;
}

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
