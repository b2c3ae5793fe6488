// SPDX-License-Identifier: GPL-3.0-or-later
/* Sort the record lists, and check that keys are unique and that whatever a record refers to
 * exists. */

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"
#include "profile/base/array.h"

static int compare_keys(const struct raw_ref *a, const struct raw_ref *b)
{
	return PROF_ORDER(a, b, table, id, sub);
}

/* Equal keys stay in the order of the file. */
ARRAY_COMPARE(compare_refs, struct raw_ref, compare_keys(a, b) ?: ARRAY_ORDER(a->at, b->at))

static bool is_sorted(const struct raw_list *list)
{
	for (uint32_t i = 1; i < list->count; i++)
		if (compare_refs(&list->ref[i - 1], &list->ref[i]) > 0)
			return false;
	return true;
}

uint32_t references_search(const struct raw_list *list, uint32_t table, uint32_t id, uint32_t sub)
{
	struct raw_ref key = {.table = table, .id = id, .sub = sub};
	size_t low;

	BISECT(low, list->count, compare_keys(&list->ref[low], &key) < 0);
	if (low == list->count || compare_keys(&list->ref[low], &key) != 0)
		return PROF_NONE;
	return low;
}

static bool same_function(const struct raw_file *raw, const struct raw_ref *a,
			  const struct raw_ref *b)
{
	const struct scp_function *f = raw_record(raw, a), *g = raw_record(raw, b);

	return strcmp(raw_function_name(f), raw_function_name(g)) == 0 &&
	       strcmp(f->library, g->library) == 0;
}

/* A function may be registered by two threads at once: twice the same is fine.
 * Gaps and looks have no identity that others refer to. */
static int check_unique(const struct raw_file *raw, uint32_t type, struct profile_error *err)
{
	const struct raw_list *list = &raw->list[type];

	for (uint32_t i = 1; i < list->count; i++) {
		const struct raw_ref *a = &list->ref[i - 1], *b = &list->ref[i];

		if (compare_keys(a, b) != 0)
			continue;
		if (type == SCP_REC_FUNCTION && same_function(raw, a, b))
			continue;
		return error_damaged(err, raw->path, "two %s have the id %u (table %u)",
				     record_kinds[type].plural, b->id, b->table);
	}
	return 0;
}

static bool exists(const struct raw_file *raw, uint32_t type, uint32_t table, uint32_t id)
{
	return raw_find(&raw->list[type], table, id, 0) != PROF_NONE;
}

static int missing(const struct raw_file *raw, const char *what, const struct raw_ref *ref,
		   const char *target, uint32_t id, struct profile_error *err)
{
	return error_damaged(err, raw->path, "%s %u of table %u names %s %u, which does not exist",
			     what, ref->id, ref->table, target, id);
}

static bool line_exists(const struct raw_file *raw, uint64_t id)
{
	return id <= UINT32_MAX && exists(raw, SCP_REC_SOURCE_LINE, 0, (uint32_t)id);
}

/* Does a frame of the path name a module, or a line, that is not there? */
static bool lacks(const struct raw_file *raw, const uint64_t *frames, uint32_t count,
		  const char **what, uint32_t *id)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t frame = frames[i], line = SCP_FRAME_OFFSET(frame);
		bool is_source = raw_frame_is_source(frame);
		uint32_t module = SCP_FRAME_MODULE(frame);

		if (is_source ? line_exists(raw, line)
			      : !module || exists(raw, SCP_REC_MODULE, 0, module))
			continue;
		*what = is_source ? "source line" : "module";
		*id = !is_source ? module : line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
		return true;
	}
	return false;
}

/* The base becomes the innermost of its own bases from which the frames come: then each step of a
 * chain of bases, from smaller to smaller ids, adds a frame, and none is longer than a path. */
static int check_base(const struct raw_file *raw, const struct raw_ref *ref,
		      struct profile_error *err)
{
	struct scp_path *p = raw_record(raw, ref);
	const struct scp_path *base;
	uint32_t at;

	if (!p->shared)
		p->base = 0;
	while (p->base) {
		at = raw_find(&raw->list[SCP_REC_PATH], ref->table, p->base, 0);
		if (at == PROF_NONE)
			return missing(raw, "path", ref, "base path", p->base, err);
		base = raw_record(raw, &raw->list[SCP_REC_PATH].ref[at]);
		if (base->frames < p->shared)
			return error_damaged(
				err, raw->path,
				"path %u of table %u shares %u frames with path %u, which has %u",
				ref->id, ref->table, p->shared, base->id, base->frames);
		if (base->shared < p->shared)
			return 0;
		p->base = base->base;
	}
	return 0;
}

static int check_path(const struct raw_file *raw, const struct raw_ref *ref,
		      struct profile_error *err)
{
	const struct scp_path *p = raw_record(raw, ref);
	const char *what;
	uint32_t id;

	if (lacks(raw, p->frame, raw_own_frames(p), &what, &id))
		return missing(raw, "path", ref, what, id, err);
	return check_base(raw, ref, err);
}

static int check_sample(const struct raw_file *raw, const struct raw_ref *ref,
			struct profile_error *err)
{
	const struct scp_sampled *s = raw_record(raw, ref);
	const char *what = "process";
	uint32_t id = s->process;

	if (!exists(raw, SCP_REC_PROCESS, 0, id) || lacks(raw, s->frame, s->frames, &what, &id))
		return missing(raw, "sample", ref, what, id, err);
	return 0;
}

/* Does the record of `type` exist that `who` names? */
static int check_named(const struct raw_file *raw, const char *who, const struct raw_ref *ref,
		       uint32_t type, uint32_t id, struct profile_error *err)
{
	static const char *const target[RAW_TYPES] = {
		[SCP_REC_ENTRY] = "entry",	 [SCP_REC_PATH] = "path",
		[SCP_REC_FUNCTION] = "function", [SCP_REC_SOURCE_FUNCTION] = "source function",
		[SCP_REC_ACCOUNT] = "account",	 [SCP_REC_PROCESS] = "process"};
	bool in_table = type == SCP_REC_ENTRY || type == SCP_REC_PATH;

	if (exists(raw, type, in_table ? ref->table : 0, id))
		return 0;
	return missing(raw, who, ref, target[type], id, err);
}

static int check_entry(const struct raw_file *raw, const struct raw_ref *ref,
		       struct profile_error *err)
{
	const struct scp_entry *e = raw_record(raw, ref);

	return check_named(raw, "entry", ref, SCP_REC_PATH, e->path, err)
		       ?: check_named(raw, "entry", ref, SCP_REC_FUNCTION, e->function, err);
}

static int check_gap(const struct raw_file *raw, const struct raw_ref *ref,
		     struct profile_error *err)
{
	const char *who = "a gap from entry";

	if (ref->id && check_named(raw, who, ref, SCP_REC_ENTRY, ref->id, err))
		return -1;
	return ref->sub ? check_named(raw, who, ref, SCP_REC_ENTRY, ref->sub, err) : 0;
}

static int check_table(const struct raw_file *raw, const struct raw_ref *ref,
		       struct profile_error *err)
{
	const struct scp_table *t = raw_record(raw, ref);

	if ((raw_header(raw)->flags & SCP_FILE_MERGED) &&
	    !exists(raw, SCP_REC_PROCESS, 0, t->process))
		return error_damaged(err, raw->path,
				     "table %u names process %u, which does not exist", t->id,
				     t->process);
	return 0;
}

static int check_one(const struct raw_file *raw, uint32_t type, const struct raw_ref *ref,
		     struct profile_error *err)
{
	const struct record_kind *kind = &record_kinds[type];
	const struct scp_source_line *line;

	switch (type) {
	case SCP_REC_PATH:
		return check_path(raw, ref, err);
	case SCP_REC_ENTRY:
		return check_entry(raw, ref, err);
	case SCP_REC_GAP:
		return check_gap(raw, ref, err);
	case SCP_REC_TABLE:
		return check_table(raw, ref, err);
	case SCP_REC_SAMPLE:
		return check_sample(raw, ref, err);
	case SCP_REC_SOURCE_LINE:
		line = raw_record(raw, ref);
		return check_named(raw, "line", ref, SCP_REC_SOURCE_FUNCTION, line->function, err);
	default:
		return kind->names ? check_named(raw, kind->who, ref, kind->names, ref->id, err)
				   : 0;
	}
}

static int check_list(const struct raw_file *raw, uint32_t type, struct profile_error *err)
{
	const struct raw_list *list = &raw->list[type];
	uint32_t table = 0;

	for (const struct raw_ref *ref = list->ref; ref < list->ref + list->count; ref++) {
		if (ref->table != table && !exists(raw, SCP_REC_TABLE, ref->table, 0))
			return error_damaged(err, raw->path, "table %u has records but no head",
					     ref->table);
		table = ref->table;
		if (check_one(raw, type, ref, err))
			return -1;
	}
	return 0;
}

/* Their functions may have been written behind the place that was read by then. */
static void leave_out_lines(struct raw_file *raw)
{
	struct raw_list *list = &raw->list[SCP_REC_SOURCE_LINE];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_source_line *l = raw_record(raw, &list->ref[i]);

		if (exists(raw, SCP_REC_SOURCE_FUNCTION, 0, l->function))
			list->ref[kept++] = list->ref[i];
	}
	list->count = kept;
}

/* Of a file that is being written, paths that came while it was read may lack what was written
 * before them. No entry that is read names them: they are left out, and what is based on them. */
static void leave_out_unfinished(struct raw_file *raw)
{
	struct raw_list *list = &raw->list[SCP_REC_PATH];
	uint32_t kept = 0, count = list->count, id;
	const char *what;

	leave_out_lines(raw);

	for (uint32_t i = 0; i < count; i++) {
		struct raw_ref ref = list->ref[i];
		const struct scp_path *p = raw_record(raw, &ref);

		list->count = kept;
		if (lacks(raw, p->frame, raw_own_frames(p), &what, &id) ||
		    (p->base && !exists(raw, SCP_REC_PATH, ref.table, p->base)))
			continue;
		list->ref[kept++] = ref;
	}
	list->count = kept;
}

int references_check(struct raw_file *raw, struct profile_error *err)
{
	for (uint32_t type = SCP_REC_FUNCTION; type < RAW_TYPES; type++) {
		struct raw_list *list = &raw->list[type];

		if (!is_sorted(list))
			ARRAY_SORT(list->ref, list->count, compare_refs);
		if (record_kinds[type].plural && check_unique(raw, type, err))
			return -1;
	}
	if (raw->live)
		leave_out_unfinished(raw);
	for (uint32_t type = SCP_REC_FUNCTION; type < RAW_TYPES; type++)
		if (check_list(raw, type, err))
			return -1;
	return 0;
}
