// SPDX-License-Identifier: GPL-3.0-or-later
/* What the library in the process says of itself, and what of it is believed: it may have been told
 * anything. */

#include <string.h>

#include "collector/attach/attach_work.h"
#include "collector/attach/safe_point/safe_point_private.h"
#include "include/scprof_version.h"
#include "preload/system/util.h"
#include "profile/base/error.h"

int attach_state_say(struct attach_working *w, const char *what)
{
	return error_set(w->err, "process %d: %s", (int)w->remote.target.pid, what);
}

int attach_state_check(struct attach_working *w, const struct scp_attach_state *s)
{
	if (s->status == SCP_ATTACH_BUSY)
		return attach_state_say(
			w, "another scprof is attaching or detaching, or its thread died of it");
	if (!w->order)
		return 0;
	if (s->version != (uint32_t)text_hash(TEXT_HASH, SCPROF_VERSION, SIZE_MAX))
		return attach_state_say(
			w, "the libscprof.so in it is of another version than this scprof");
	if (s->status == SCP_ATTACH_PRELOADED)
		return attach_state_say(w, "it records since its start, or was told not to");
	if (s->status == SCP_ATTACH_RECORDING)
		return attach_state_say(w, "it is recorded already: scprof detach ends that");
	return 0;
}

void attach_state_area(struct attach_working *w, const struct scp_attach_state *s)
{
	struct area_head head;
	uint64_t at = s->area + AREA_GROUND;

	if (!s->area || s->area_bytes != AREA_BYTES || s->area % AREA_GUARD || at < s->area)
		return;
	const struct proc_map *m = proc_maps_find(&w->maps, at);
	if (!m || !m->writable || m->inode || m->start > s->area + AREA_GUARD ||
	    m->end < s->area + AREA_BYTES || !remote_read(&w->remote, at, &head, sizeof(head)) ||
	    memcmp(head.magic, AREA_MAGIC, sizeof(head.magic)) != 0 || head.in_use)
		return;
	w->area = w->remote.traces.area = s->area;
	w->remote.traces.area_bytes = AREA_BYTES;
	w->head = at;
	w->anew_ns = head.anew_ns;
	w->wait = head.wait;
}

/* By its name among the maps and its tables in memory: its file may be in another root directory,
 * or have been replaced since. */
static bool find_symbols(struct attach_working *w)
{
	const pid_t pid = w->remote.target.pid;
	struct attach_library *l = &w->library;
	struct safe_point_object o;

	if (!l->state && objects_read_tables(&o, pid, w->maps.library)) {
		l->begin = symbols_find(&o, pid, "scprof_attach_begin_1");
		l->end = symbols_find(&o, pid, "scprof_attach_end_1");
		l->state = l->begin && l->end ? symbols_find(&o, pid, "scprof_attach_state_1") : 0;
	}
	return l->state;
}

int attach_state_read(struct attach_working *w, struct scp_attach_state *s)
{
	if (!find_symbols(w))
		return attach_state_say(
			w, "the libscprof.so in it is of another version, or is just being loaded");
	if (!remote_read(&w->remote, w->library.state, s, sizeof(*s)) ||
	    memcmp(s->magic, SCP_ATTACH_MAGIC, sizeof(s->magic)) != 0 || s->bytes < sizeof(*s) ||
	    s->status > SCP_ATTACH_BUSY)
		return attach_state_say(w,
					"the libscprof.so in it is of another version, or damaged");
	s->profile[sizeof(s->profile) - 1] = '\0';
	return 0;
}

static const char *problem_text(uint32_t problem)
{
	static const char *const texts[] = {"it follows no order",
					    "the library did not understand the order",
					    "the profile's file cannot be made",
					    "the object of selected functions was not loaded",
					    "no memory in it",
					    "not in its present state",
					    "it may not read clocks",
					    "another thread is inside dlopen for long, perhaps in "
					    "a constructor that waits; try again"};

	return problem < sizeof(texts) / sizeof(texts[0]) ? texts[problem] : texts[0];
}

int attach_state_judge(struct attach_working *w)
{
	struct attach_result *result = &w->answer->result;
	uint32_t wanted = w->order ? SCP_ATTACH_RECORDING : SCP_ATTACH_DORMANT;
	struct scp_attach_state s;

	if (attach_state_read(w, &s) != 0)
		return -1;
	result->slots = s.slots;
	memcpy(result->profile, s.profile, sizeof(result->profile));
	if (s.status == wanted)
		return 0;
	return error_set(w->err, "process %d: %s%s%s", (int)w->remote.target.pid,
			 problem_text(s.problem), s.error ? ": " : "",
			 s.error ? strerror((int)s.error) : "");
}
