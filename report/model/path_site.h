// SPDX-License-Identifier: GPL-3.0-or-later
/* The call site of a call path: the innermost frame of the program's language, where the path has
 * one (a Python function, or generated code with a name: generated_frames.h), else the innermost
 * frame. Such a program's calls all come from the same few places of its interpreter or virtual
 * machine, which tell nothing of them. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_PATH_SITE_H
#define SCPROF_REPORT_MODEL_PATH_SITE_H

#include "profile/profile.h"

/* Which of the frames it is; 0 where there are none. */
static inline uint32_t path_site_find(const struct prof_frame *frame, uint32_t frames)
{
	for (uint32_t i = 0; i < frames; i++)
		if (frame[i].module == PROF_SOURCE)
			return i;
	return 0;
}

/* The same of a path of a model, whose paths need no look if it has no such frames. */
static inline uint32_t path_site_of(const struct profile *p, const struct prof_path *path)
{
	return p->source_lines ? path_site_find(path->frame, path->frames) : 0;
}

/* The function that a path's calls are counted for, beside the one that is called: the function of
 * the site, if that is of such a language. PROF_NONE: there is none. */
static inline uint32_t path_site_function(const struct profile *p, const struct prof_path *path)
{
	const struct prof_frame *frame = path->frame + path_site_of(p, path);

	if (!path->frames || frame->module != PROF_SOURCE || frame->offset >= p->source_lines)
		return PROF_NONE;
	return p->source_line[frame->offset].function;
}

#endif
