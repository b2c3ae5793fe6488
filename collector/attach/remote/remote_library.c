// SPDX-License-Identifier: GPL-3.0-or-later
/* The library is found by its name among the maps and read by its tables in memory: its file may be
 * in another root directory, or have been replaced since. */
#include "collector/attach/remote/remote.h"
#include "collector/attach/safe_point/safe_point_private.h"
#include "profile/base/error.h"

#include <string.h>

#define STACK_SLACK 512u /* that stays free below a frame */

/* A stack that a coroutine has in the heap may be too small even for a signal: such a program gives
 * its handlers another. The stack of a thread has the thread's own block above it. */
uint64_t remote_library_stack_room(const struct proc_map_list *m,
				   const struct user_regs_struct *regs, size_t bytes)
{
	const struct proc_map *map = proc_maps_find(m, regs->rsp);

	if (!map || !map->writable || map->inode)
		return 0;
	if (!map->stack && (regs->fs_base <= regs->rsp || regs->fs_base >= map->end))
		return 0;
	if (regs->rsp - map->start < bytes + SIGFRAME_RED_ZONE + STACK_SLACK)
		return 0;
	return regs->rsp - SIGFRAME_RED_ZONE;
}

bool remote_library_symbols(const struct remote *r, uint64_t base, struct remote_library *l)
{
	const pid_t pid = r->target.pid;
	struct safe_point_object o;

	*l = (struct remote_library){0};
	if (!objects_read_tables(&o, pid, base))
		return false;
	l->begin = symbols_find(&o, pid, "scprof_attach_begin_1");
	l->end = symbols_find(&o, pid, "scprof_attach_end_1");
	l->state = symbols_find(&o, pid, "scprof_attach_state_1");
	return l->begin && l->end && l->state;
}

int remote_library_state(const struct remote *r, const struct remote_library *l,
			 struct scp_attach_state *s, struct profile_error *err)
{
	if (remote_read(r, l->state, s, sizeof(*s)) &&
	    memcmp(s->magic, SCP_ATTACH_MAGIC, sizeof(s->magic)) == 0 && s->bytes >= sizeof(*s) &&
	    s->status <= SCP_ATTACH_BUSY) {
		s->profile[sizeof(s->profile) - 1] = '\0';
		return 0;
	}
	return error_set(err,
			 "process %d: the libscprof.so in it is of another version, or damaged",
			 (int)r->target.pid);
}

/* mov OFFSET(%rip),%rax; add %fs:0,%rax; ret: the word at OFFSET is errno's place in the block of
 * each thread. */
uint64_t remote_library_errno(const struct remote *r, uint64_t errno_location)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x05};
	static const uint8_t add[] = {0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0, 0xc3};
	static const uint8_t branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[4 + 7 + sizeof(add)];
	const uint8_t *at = code;
	int32_t offset;
	uint64_t word;

	if (!errno_location || !remote_read(r, errno_location, code, sizeof(code)))
		return 0;
	if (memcmp(at, branch_mark, 4) == 0)
		at += 4;
	if (memcmp(at, load, sizeof(load)) != 0 || memcmp(at + 7, add, sizeof(add)) != 0)
		return 0;
	memcpy(&offset, at + 3, sizeof(offset));
	word = errno_location + (uint64_t)(at - code) + 7 + (uint64_t)(int64_t)offset;
	if (!remote_read(r, word, &word, sizeof(word)))
		return 0;
	return r->was.regs.fs_base + word;
}
