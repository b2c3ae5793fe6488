// SPDX-License-Identifier: GPL-3.0-or-later
/* Which frames only start a program or a thread. */
#include "report/symbols/startup_frames.h"

#include <string.h>

#include "report/wording/base_name.h"

static bool is_starter(const struct symbol *s)
{
	static const char *const starters[] = {
		"__libc_start_main",
		"__libc_start_main_impl",
		"__libc_start_call_main",
		"start_thread",
		"clone",
		"clone3",
		"__clone",
		"__clone3",
		"_start",
	};

	for (size_t i = 0; s->function && i < sizeof(starters) / sizeof(starters[0]); i++)
		if (!strcmp(s->function, starters[i]))
			return true;
	/* Without its debug information libc does not name most of them. */
	return !s->function && s->module &&
	       (!strncmp(base_name(s->module), "libc.so", 7) ||
		!strncmp(base_name(s->module), "libpthread", 10));
}

/* _start of a stripped program has no name, but what calls __libc_start_main is nothing else. */
uint32_t startup_frames_trim(struct report *r, const struct report_site *s)
{
	uint32_t frames = s->frames;
	size_t count;

	if (frames > 2 && is_starter(warnings_symbols(r, &s->frame[frames - 2], &count)))
		frames--;
	while (frames > 1 && is_starter(warnings_symbols(r, &s->frame[frames - 1], &count)))
		frames--;
	return frames;
}
