// SPDX-License-Identifier: GPL-3.0-or-later
/* Callers above, what they call below, as on the page. The colours follow the reader's scheme. */
#include "report/render/formats.h"

#include <math.h>
#include <stdlib.h>

#include "report/findings/findings.h"
#include "report/render/stacks/flame.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define WIDTH	 1200.0
#define MARGIN	 10.0
#define ROW	 19.0
#define TITLE	 48.0 /* height of the head */
#define HALF_GAP 14.0
#define LEAST	 0.3 /* narrower boxes are left out */
#define LETTER	 7.3 /* width of one */

struct picture {
	FILE *out;
	struct flame *flame;
	struct string_index *strings;
	double top;   /* where the half that is drawn begins */
	double scale; /* px a ns */
	double of_ns; /* what shares are of: the threads' time, or more where more is drawn */
	const char *of;
	uint32_t root; /* of this half */
};

static const char style[] =
	"<style>\n"
	"svg{background:#fff;color:#1c2024}text{font:12px ui-monospace,monospace;fill:currentColor;"
	"pointer-events:none}\n"
	".h{font-size:15px;font-weight:600}.s{fill:#60646c}rect{stroke:#fff;stroke-width:.6}\n"
	".k0,.k6,.k7{fill:#e0e3e8}.k1{fill:#f5b171}.k2{fill:#f3d488}.k3{fill:#f9cfa4}"
	".k4{fill:#d6d9de}.k5{fill:#8fb8ee}\n"
	"@media(prefers-color-scheme:dark){svg{background:#16181b;color:#edeef0}rect{stroke:#"
	"16181b}"
	".s{fill:#b0b4ba}.k0,.k6,.k7{fill:#363a3f}.k1{fill:#93551c}.k2{fill:#7a611c}"
	".k3{fill:#6e4622}.k4{fill:#4a4e54}.k5{fill:#2c5a96}}\n"
	"</style>\n";

/* A text cut to `columns`. -1: out of memory. */
static int put_text(FILE *out, const char *raw, size_t columns)
{
	char *clean = utf8_clean(raw, true);
	char *fits = clean ? utf8_shorten(clean, columns, true) : NULL;

	if (fits)
		utf8_write_markup(out, fits);
	free(fits);
	free(clean);
	return fits ? 0 : -1;
}

static const char *name_of(const struct picture *p, const struct flame_box *b)
{
	switch (b->kind) {
	case FLAME_TOP:
	case FLAME_WORK:
		return b->computing_ns > 0 ? "all calls that work, and computing"
					   : "all calls that work";
	case FLAME_WAITING:
		return "all calls that wait";
	default:
		return b->name == STRING_INDEX_NONE ? "(unknown)" : p->strings->text[b->name];
	}
}

/* "120 ms, 31.2 % of the threads' time, 1,024 calls, 20 ms of it computing". */
static void put_facts(const struct picture *p, const struct flame_box *b)
{
	fprintf(p->out, "%s, ", numbered_duration(flame_width(b), true).text);
	utf8_write_markup(p->out, numbered_share(flame_width(b) / p->of_ns).text); /* "<0.1 %" */
	fprintf(p->out, " of %s, %s call%s", p->of, numbered_count(b->calls).text,
		b->calls == 1 ? "" : "s");
	if (b->computing_ns > 0)
		fprintf(p->out, ", %s of it computing",
			numbered_duration(b->computing_ns, true).text);
}

static int put_box(const struct picture *p, uint32_t number)
{
	const struct flame_box *b = &p->flame->box[number];
	double x = MARGIN + b->x_ns * p->scale, width = flame_width(b) * p->scale;
	double y = p->top + (b->depth - p->flame->box[p->root].depth) * ROW;
	size_t columns = width > 3 * LETTER ? (size_t)((width - 6) / LETTER) : 0;

	if (!(width >= LEAST))
		return 0;
	fprintf(p->out, "<g><title>");
	int status = put_text(p->out, name_of(p, b), 1000);
	if (b->outcome != STRING_INDEX_NONE) {
		fputs(" [", p->out);
		utf8_write_markup(p->out, p->strings->text[b->outcome]);
		fputs("]", p->out);
	}
	fputs(": ", p->out);
	put_facts(p, b);
	fprintf(p->out,
		"</title><rect class=\"k%d\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\" "
		"rx=\"1.5\"/>",
		(int)b->kind, x, y, width, ROW - 1);
	if (columns && status == 0) {
		fprintf(p->out, "<text x=\"%.1f\" y=\"%.0f\">", x + 3, y + 13);
		status = put_text(p->out, name_of(p, b), columns);
		fputs("</text>", p->out);
	}
	fputs("</g>\n", p->out);
	return status;
}

static bool is_half(const struct flame_box *b)
{
	return b->kind == FLAME_WORK || b->kind == FLAME_WAITING;
}

/* Parents come before their children, siblings in order. */
static void place_boxes(struct flame *f)
{
	for (uint32_t i = 1; i < f->boxes; i++) {
		struct flame_box *b = &f->box[i], *parent = &f->box[b->parent];

		b->x_ns = b->next_ns = is_half(b) ? 0 : parent->next_ns;
		parent->next_ns += flame_width(b);
	}
}

/* One past the last box below `root`. */
static uint32_t end_of(const struct flame *f, uint32_t root)
{
	uint32_t i = root + 1;

	while (i < f->boxes && f->box[i].depth > f->box[root].depth)
		i++;
	return i;
}

/* Rows of those that are wide enough to see. */
static double height_of(const struct flame *f, uint32_t root, double scale)
{
	uint32_t deepest = f->box[root].depth, end = end_of(f, root);

	for (uint32_t i = root; i < end; i++)
		if (flame_width(&f->box[i]) * scale >= LEAST && f->box[i].depth > deepest)
			deepest = f->box[i].depth;
	return (deepest - f->box[root].depth + 1) * ROW;
}

static double scale_of(const struct flame_box *root)
{
	return flame_width(root) > 0 ? (WIDTH - 2 * MARGIN) / flame_width(root) : 0;
}

/* The next half from this box on; `boxes`: none. */
static uint32_t next_half(const struct flame *f, uint32_t from)
{
	if (f->boxes < 2 || !is_half(&f->box[1]))
		return from == 0 ? 0 : f->boxes;
	while (from < f->boxes && !is_half(&f->box[from]))
		from++;
	return from;
}

static int put_halves(struct picture *p)
{
	const struct flame *f = p->flame;
	uint32_t end;
	int status = 0;

	for (uint32_t root = next_half(f, 0); root < f->boxes; root = next_half(f, end)) {
		end = end_of(f, root);
		p->root = root;
		p->scale = scale_of(&f->box[root]);
		for (uint32_t i = root; i < end && status == 0; i++)
			status = put_box(p, i);
		p->top += height_of(f, root, p->scale) + HALF_GAP;
	}
	return status;
}

static double whole_height(const struct flame *f)
{
	double height = TITLE;

	for (uint32_t root = next_half(f, 0); root < f->boxes; root = next_half(f, end_of(f, root)))
		height += height_of(f, root, scale_of(&f->box[root])) + HALF_GAP;
	return height;
}

static int put_head(const struct picture *p, const struct report *r)
{
	char *command = report_head_command(r);

	fprintf(p->out, "<text class=\"h\" x=\"%.0f\" y=\"22\">", MARGIN);
	int status = put_text(p->out, command ? command : "scprof", 120);
	free(command);
	fprintf(p->out,
		"</text>\n<text class=\"s\" x=\"%.0f\" y=\"39\">%s recorded calls in %s, width by "
		"their time%s</text>\n",
		MARGIN, numbered_count(r->calls).text,
		numbered_duration(r->wall_s * 1e9, true).text,
		p->flame->box[0].computing_ns > 0 ? " and CPU time outside of them" : "");
	return status;
}

static int print_flame(struct picture *p, const struct report *r)
{
	double height = whole_height(p->flame), all_ns = flame_width(&p->flame->box[0]);

	p->of = all_ns > r->time_ns ? "all that is drawn" : "the threads' time";
	p->of_ns = fmax(all_ns, r->time_ns);
	fprintf(p->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\">\n%s",
		WIDTH, height, WIDTH, height, style);
	place_boxes(p->flame);
	p->top = TITLE;
	int status = put_head(p, r);
	if (status == 0)
		status = put_halves(p);
	fputs("</svg>\n", p->out);
	return status;
}

int svg_print(struct report *r, const struct report_options *o, FILE *out)
{
	struct string_index strings = {0};
	struct flame flame = {0};
	struct picture p = {.out = out, .flame = &flame, .strings = &strings};
	int status = flame_build(&flame, r, &strings);

	(void)o;
	if (status == 0)
		status = print_flame(&p, r);
	flame_free(&flame);
	string_index_clear(&strings);
	return status;
}
