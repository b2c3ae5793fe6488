// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/diff/diff_files.h"

#include <stdlib.h>

#include "cli/messages/complaint.h"
#include "report/symbols/function_names.h"

void diff_files_free(struct diff_files *f)
{
	if (f->diff)
		diff_model_free(f->diff);
	for (uint32_t i = 0; f->profile && i < f->files; i++)
		if (f->profile[i])
			profile_free(f->profile[i]);
	free(f->profile);
	*f = (struct diff_files){0};
}

static int open_all(struct diff_files *f, const char *const *file)
{
	struct profile_error why;
	int status = 0;

	for (uint32_t i = 0; i < f->files; i++) {
		f->profile[i] = profile_open(&file[i], 1, &why);
		if (f->profile[i]) {
			function_names_fill(f->profile[i]);
			continue;
		}
		complaint_lines(DIFF_COMMAND, why.text);
		status = -1;
	}
	return status;
}

int diff_files_compare(struct diff_files *f, const char *const *file, uint32_t files,
		       uint32_t bases, const struct diff_options *o)
{
	struct profile_error why;

	*f = (struct diff_files){calloc(files + 1, sizeof(*f->profile)), files, NULL};
	if (!f->profile) {
		complaint_say(DIFF_COMMAND, "out of memory");
		return -1;
	}
	if (open_all(f, file))
		return -1;
	f->diff =
		diff_model_build((const struct profile *const *)f->profile, files, bases, o, &why);
	if (!f->diff)
		complaint_lines(DIFF_COMMAND, why.text);
	return f->diff ? 0 : -1;
}
