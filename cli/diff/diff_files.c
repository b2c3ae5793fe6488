// SPDX-License-Identifier: GPL-3.0-or-later
/* Profiles are opened one by one, never added up. */
#include "cli/diff/diff_files.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cli/messages/complaint.h"
#include "report/symbols/function_names.h"

void diff_files_free(struct profile **profile, uint32_t files)
{
	for (uint32_t i = 0; profile && i < files; i++)
		if (profile[i])
			profile_free(profile[i]);
	free(profile);
}

struct profile **diff_files_open(const char *const *file, uint32_t files)
{
	struct profile **profile = calloc(files + 1, sizeof(*profile));
	struct profile_error err;
	bool failed = false;

	if (!profile)
		complaint_say(DIFF_COMMAND, "out of memory");
	for (uint32_t i = 0; profile && i < files; i++) {
		profile[i] = profile_open(&file[i], 1, &err);
		if (profile[i]) {
			function_names_fill(profile[i]);
			continue;
		}
		complaint_lines(DIFF_COMMAND, err.text);
		failed = true;
	}
	if (!failed)
		return profile;
	diff_files_free(profile, files);
	return NULL;
}
