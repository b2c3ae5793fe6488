// SPDX-License-Identifier: GPL-3.0-or-later
/* What holds of each type of records, and checks of the fields of one record that need no other
 * record. The record's length has been checked against its chunk already. */

#include <string.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"

static bool ends(const char *s, size_t room)
{
	return memchr(s, 0, room) != NULL;
}

static const char no_end[] = "has a text without an end";

static const char *check_function(const void *record)
{
	const struct scp_function *f = record;
	size_t more = f->rec.bytes - sizeof *f;

	return !ends(f->name, sizeof f->name) || !ends(f->library, sizeof f->library) ||
			       (more && !ends(f->long_name, more))
		       ? no_end
		       : NULL;
}

static const char *check_module(const void *record)
{
	const struct scp_module *m = record;

	if (m->id > UINT16_MAX)
		return "has too high an id";
	if (m->build_id_bytes > SCP_BUILD_ID_MAX)
		return "has a build-id that is too long";
	return ends(m->path, m->rec.bytes - offsetof(struct scp_module, path)) ? NULL : no_end;
}

static const char *check_table(const void *record)
{
	const struct scp_table *t = record;

	return ends(t->name, sizeof t->name) ? NULL : no_end;
}

static const char *check_path(const void *record)
{
	const struct scp_path *p = record;
	size_t room = (p->rec.bytes - offsetof(struct scp_path, frame)) / sizeof p->frame[0];

	if (p->shared > p->frames || p->shared > SCP_MAX_FRAMES || (p->shared && p->base == 0) ||
	    p->base >= p->id)
		return "shares frames with no path before it";
	return p->frames > SCP_MAX_FRAMES || raw_own_frames(p) > room
		       ? "claims more frames than it has"
		       : NULL;
}

static const char *check_entry(const void *record)
{
	const struct scp_entry *e = record;

	if (e->outcome >= SCP_TIMEOUT ||
	    (e->flags & SCP_ENTRY_TIMED_OUT && e->outcome != SCP_WOULD_BLOCK))
		return "has an outcome that there is not";
	return e->batch_count > SCP_BATCHES ||
			       (e->batch_count &&
				(e->batch_calls == 0 || (e->batch_calls & (e->batch_calls - 1))))
		       ? "claims batches that there cannot be"
		       : NULL;
}

static const char *check_hist(const void *record)
{
	const struct scp_hist *h = record;
	uint32_t most = SCP_HIST_BLOCKS * (h->rec.type == SCP_REC_HIST ? 1 : SCP_STATE_HISTS);

	return h->block >= most ? "is of durations that there are not" : NULL;
}

static const char *check_batch(const void *record)
{
	return ((const struct scp_batch *)record)->clock > 1 ? "is of a third clock" : NULL;
}

static const char *check_tail(const void *record)
{
	const struct scp_tail *t = record;

	return t->octaves < 2 || t->octaves > SCP_TAIL_OCTAVES ? "has too few octaves, or too many"
							       : NULL;
}

static const char *check_process(const void *record)
{
	const struct scp_process *p = record;
	uint64_t room = p->rec.bytes - offsetof(struct scp_process, strings);
	uint64_t used = (uint64_t)p->exe_bytes + p->argv_bytes;

	if (p->end_state > SCP_END_DETACHED)
		return "has an end that there is not";
	return used > room || p->exe_bytes == 0 || p->strings[p->exe_bytes - 1] != 0 ||
			       (p->argv_bytes && p->strings[used - 1] != 0) ||
			       (room > used && !ends(p->strings + used, room - used))
		       ? no_end
		       : NULL;
}

static const char *check_end(const void *record)
{
	const struct scp_end *e = record;
	uint32_t most = e->seen == SCP_END_STATUS   ? SCP_END_STATUS_MAX
			: e->seen == SCP_END_SIGNAL ? SCP_END_SIGNAL_MAX
						    : 0;

	return e->seen > SCP_END_SIGNAL || e->value > most ? "says what cannot be" : NULL;
}

static const char *check_attached(const void *record)
{
	const struct scp_attached *a = record;

	return a->flags & ~SCP_ATTACHED_FLAGS || a->in_calls > a->threads ||
			       a->stopped_ns > a->stopped_total_ns
		       ? "contradicts itself"
		       : NULL;
}

static bool sane_ps(int64_t value, int64_t error, uint32_t freedom)
{
	return value >= -SCP_SITE_COST_MAX_PS && value <= SCP_SITE_COST_MAX_PS && error >= 0 &&
	       error <= SCP_SITE_COST_MAX_PS && freedom > 0;
}

static const char *check_site_cost(const void *record)
{
	const struct scp_site_cost *s = record;

	if (s->state < SCP_SITE_COST_KNOWN || s->state > SCP_SITE_COST_FEW || s->group == 0 ||
	    s->kept_ppm > 1000000 || s->busy_ppm > 1000000)
		return "says what cannot be";
	return s->state == SCP_SITE_COST_KNOWN &&
			       !(sane_ps(s->uncharged_ps, s->uncharged_error_ps,
					 s->uncharged_freedom_ppk) &&
				 sane_ps(s->true_ps, s->true_error_ps, s->true_freedom_ppk))
		       ? "has a value that no regression gives"
		       : NULL;
}

static const char *check_account_text(const void *record)
{
	const struct scp_account_text *t = record;

	return ends(t->text, t->rec.bytes - offsetof(struct scp_account_text, text)) ? NULL
										     : no_end;
}

static const char *check_path_difference(const void *record)
{
	const struct scp_path_difference *d = record;
	uint64_t room =
		(d->rec.bytes - offsetof(struct scp_path_difference, frame)) / sizeof d->frame[0];

	return d->ours > SCP_MAX_FRAMES || d->theirs > SCP_MAX_FRAMES ||
			       (uint64_t)d->ours + d->theirs > room
		       ? "claims more frames than it has"
		       : NULL;
}

static const char *check_source_function(const void *record)
{
	const struct scp_source_function *f = record;
	uint64_t room = f->rec.bytes - offsetof(struct scp_source_function, strings);

	return f->name_bytes == 0 || f->name_bytes > SCP_SOURCE_NAME_MAX || f->file_bytes == 0 ||
			       f->file_bytes > SCP_SOURCE_FILE_MAX ||
			       f->name_bytes + f->file_bytes > room ||
			       f->strings[f->name_bytes - 1] ||
			       f->strings[f->name_bytes + f->file_bytes - 1]
		       ? no_end
		       : NULL;
}

static const char *check_generated(const void *record)
{
	const struct scp_generated *g = record;
	uint64_t room = g->rec.bytes - offsetof(struct scp_generated, name);

	if (g->bytes == 0 || g->start + g->bytes < g->start)
		return "has no bytes, or too many";
	return g->name_bytes == 0 || g->name_bytes > room || g->name[g->name_bytes - 1] ? no_end
											: NULL;
}

static const char *check_sampling(const void *record)
{
	const struct scp_sampling *r = record;

	return r->period_ns == 0 || r->period_ns > SCP_SAMPLE_PERIOD_MAX || r->cpu_ns > INT64_MAX ||
			       r->lost >> 60 || r->cut >> 60
		       ? "says what cannot be"
		       : NULL;
}

static const char *check_sample(const void *record)
{
	const struct scp_sampled *r = record;
	uint64_t room = r->rec.bytes - offsetof(struct scp_sampled, frame);

	if (r->kind >= SCP_SAMPLE_KINDS)
		return "is of a kind that there is not";
	return r->frames > SCP_MAX_FRAMES ||
			       r->frames * sizeof r->frame[0] + r->words * sizeof(uint32_t) > room
		       ? "claims more than it has"
		       : NULL;
}

#define OF_ENTRY(record)                                                                           \
	.least = sizeof(struct record), .id_at = offsetof(struct record, entry),                   \
	.reading = RAW_FIRST, .names = SCP_REC_ENTRY, .who = "a block of entry"
#define WITH_TEXT(record, text, bytes) .least = offsetof(struct record, text) + (bytes)
#define ID(record, field)	       .id_at = offsetof(struct record, field)
#define FROM_1(record, field)	       ID(record, field), .from_1 = true
#define SUB(record, field)	       .sub_at = offsetof(struct record, field)

const struct record_kind record_kinds[RAW_TYPES] = {
	[SCP_REC_FUNCTION] = {"functions", .least = sizeof(struct scp_function),
			      ID(scp_function, id), .of_process = true, .check = check_function},
	[SCP_REC_MODULE] = {"modules", WITH_TEXT(scp_module, path, 1), FROM_1(scp_module, id),
			    .of_process = true, .check = check_module},
	[SCP_REC_TABLE] = {"tables", .least = sizeof(struct scp_table), .check = check_table},
	[SCP_REC_PATH] = {"paths", WITH_TEXT(scp_path, frame, 0), FROM_1(scp_path, id),
			  .check = check_path},
	[SCP_REC_ENTRY] = {"entries", .least = sizeof(struct scp_entry), FROM_1(scp_entry, id),
			   .reading = RAW_SECOND, .check = check_entry},
	[SCP_REC_GAP] = {NULL, .least = sizeof(struct scp_gap), ID(scp_gap, from), SUB(scp_gap, to),
			 .reading = RAW_FIRST},
	[SCP_REC_HIST] = {"histogram blocks of an entry", OF_ENTRY(scp_hist), SUB(scp_hist, block),
			  .check = check_hist},
	[SCP_REC_BATCH] = {"batch blocks of an entry", OF_ENTRY(scp_batch), SUB(scp_batch, clock),
			   .check = check_batch},
	[SCP_REC_SLOW] = {"slow-clock records of an entry", OF_ENTRY(scp_slow)},
	[SCP_REC_PROCESS] = {"processes", WITH_TEXT(scp_process, strings, 1),
			     FROM_1(scp_process, index), .of_process = true,
			     .check = check_process},
	[SCP_REC_PHASE] = {"phase records of an entry", OF_ENTRY(scp_phase)},
	[SCP_REC_LINE] = {"line records of an entry", OF_ENTRY(scp_line)},
	/* what else is in it may change: see seqlock_snapshot_slowest_take */
	[SCP_REC_SLOWEST] = {"slowest calls", .least = sizeof(struct scp_slowest),
			     ID(scp_slowest, id), .optional = SCP_OPTIONAL_SLOWEST,
			     .reading = RAW_FIRST},
	[SCP_REC_SITE_COST] = {"site costs of an entry", OF_ENTRY(scp_site_cost),
			       .check = check_site_cost},
	[SCP_REC_ACCOUNT] = {"accounts", .least = sizeof(struct scp_account), ID(scp_account, id),
			     .optional = SCP_OPTIONAL_ACCOUNT},
	[SCP_REC_ACCOUNT_CPU] = {"parts of one CPU in an account",
				 .least = sizeof(struct scp_account_cpu),
				 ID(scp_account_cpu, account), SUB(scp_account_cpu, cpu),
				 .optional = SCP_OPTIONAL_ACCOUNT, .names = SCP_REC_ACCOUNT,
				 .who = "a part of account"},
	[SCP_REC_ACCOUNT_TEXT] = {"texts of an account", WITH_TEXT(scp_account_text, text, 1),
				  ID(scp_account_text, account), SUB(scp_account_text, index),
				  .optional = SCP_OPTIONAL_ACCOUNT, .names = SCP_REC_ACCOUNT,
				  .who = "a part of account", .check = check_account_text},
	[SCP_REC_STATES] = {"states of an entry", OF_ENTRY(scp_states),
			    .optional = SCP_OPTIONAL_STATES},
	[SCP_REC_STATE_BATCHES] = {"states by batches of an entry", OF_ENTRY(scp_state_batches),
				   .optional = SCP_OPTIONAL_STATES},
	[SCP_REC_STATE_HIST] = {"states' histogram blocks of an entry", OF_ENTRY(scp_hist),
				SUB(scp_hist, block), .optional = SCP_OPTIONAL_STATES,
				.check = check_hist},
	[SCP_REC_TABLE_STATES] = {"states of a table", .least = sizeof(struct scp_table_states),
				  .optional = SCP_OPTIONAL_STATES, .reading = RAW_FIRST},
	[SCP_REC_TAIL] = {"tail records of an entry", OF_ENTRY(scp_tail),
			  .optional = SCP_OPTIONAL_TAIL, .check = check_tail},
	[SCP_REC_PATH_DIFFERENCE] = {"path differences", WITH_TEXT(scp_path_difference, frame, 0),
				     ID(scp_path_difference, id), .optional = SCP_OPTIONAL_CHECKS,
				     .check = check_path_difference},
	[SCP_REC_FIRST_CALLS] = {"records of the first calls of an entry",
				 OF_ENTRY(scp_first_calls)},
	[SCP_REC_END] = {"ends of a process", .least = sizeof(struct scp_end), ID(scp_end, process),
			 .optional = SCP_OPTIONAL_ENDS, .names = SCP_REC_PROCESS,
			 .who = "the end of process", .check = check_end},
	[SCP_REC_LOOK] = {NULL, .least = sizeof(struct scp_look), ID(scp_look, function),
			  .optional = SCP_OPTIONAL_LOOK, .reading = RAW_FIRST,
			  .names = SCP_REC_FUNCTION, .who = "look"},
	[SCP_REC_ATTACH] = {"attachments of a process", .least = sizeof(struct scp_attached),
			    ID(scp_attached, process), .optional = SCP_OPTIONAL_ATTACH,
			    .names = SCP_REC_PROCESS, .who = "the attachment of process",
			    .check = check_attached},
	[SCP_REC_SOURCE_FUNCTION] = {"source functions", WITH_TEXT(scp_source_function, strings, 2),
				     FROM_1(scp_source_function, id),
				     .optional = SCP_OPTIONAL_SOURCE,
				     .check = check_source_function},
	[SCP_REC_SOURCE_LINE] = {"source lines", .least = sizeof(struct scp_source_line),
				 FROM_1(scp_source_line, id), .optional = SCP_OPTIONAL_SOURCE},
	[SCP_REC_GENERATED] = {"pieces of generated code", WITH_TEXT(scp_generated, name, 1),
			       FROM_1(scp_generated, id), .optional = SCP_OPTIONAL_SOURCE,
			       .check = check_generated},
	[SCP_REC_SAMPLING] = {"samplings", .least = sizeof(struct scp_sampling),
			      FROM_1(scp_sampling, id), .optional = SCP_OPTIONAL_SAMPLES,
			      .check = check_sampling},
	[SCP_REC_SAMPLE] = {"samples", WITH_TEXT(scp_sampled, frame, 0), FROM_1(scp_sampled, id),
			    .optional = SCP_OPTIONAL_SAMPLES, .check = check_sample},
};

/* What is wrong with a record whose key is known; NULL: nothing. */
static const char *find_fault(const struct scp_record *rec, const struct record_kind *kind,
			      const struct raw_ref *key)
{
	if (kind->from_1 && !key->id)
		return "has the id 0";
	if (rec->type == SCP_REC_TABLE &&
	    ((const struct scp_table *)(const void *)rec)->id != key->table)
		return "stands in a chunk of another table";
	return kind->check ? kind->check(rec) : NULL;
}

int records_check(const char *path, const struct scp_record *rec, uint32_t table,
		  struct raw_ref *key, struct profile_error *err)
{
	const struct record_kind *kind = &record_kinds[rec->type];

	if (!kind->least)
		return error_damaged(err, path, "there is no record of type %u", rec->type);
	if (rec->bytes < kind->least)
		return error_damaged(err, path, "a record of type %u has only %u bytes", rec->type,
				     rec->bytes);
	key->table = table;
	key->id = raw_field(rec, kind->id_at);
	key->sub = raw_field(rec, kind->sub_at);
	const char *fault = find_fault(rec, kind, key);
	return fault ? error_damaged(err, path, "of its %s, number %u (table %u) %s", kind->plural,
				     key->id, table, fault)
		     : 0;
}
