// SPDX-License-Identifier: GPL-3.0-or-later
/* The call paths of a comparison's sites, for its page: as lines to read, and as boxes of its flame
 * graphs. Paths share their beginnings, so both are trees whose nodes come after what calls them.
 */
#ifndef SCPROF_REPORT_RENDER_HTML_DIFF_PATHS_H
#define SCPROF_REPORT_RENDER_HTML_DIFF_PATHS_H

#include "report/compare/diff.h"
#include "report/containers/pairs.h"
#include "report/render/html/html_write.h"

struct diff_paths {
	struct html *html;
	const struct diff *diff;
	/* Frames by profile and number of the symbol; `text`: the line of each. */
	struct pairs frames;
	uint32_t *text;
	uint32_t room;
	struct pairs lines;  /* by the line that it is called from, and the frame */
	struct pairs labels; /* of boxes: by name and module, texts of the page */
	struct pairs boxes;  /* by the box that it is called from, and the label */
};

/* The path of a site: its innermost line, that of the call site (path_site.h), and the box of its
 * caller. PAIRS_NONE: it has none, or memory is out, which the page's writer then knows. */
struct diff_path {
	uint32_t line, site, box;
};
struct diff_path diff_paths_add(struct diff_paths *p, const struct diff_site *s);

/* Write "lines", "boxes" and "labels", with their fields. */
void diff_paths_write(struct diff_paths *p);
void diff_paths_clear(struct diff_paths *p);

#endif
