// SPDX-License-Identifier: GPL-3.0-or-later
/* Which thread of a process can be borrowed for a call of dlopen, and when: one that is, in no
 * frame of its stack, inside the dynamic loader, an allocator, fork, or code of ours (but where a
 * wrapper has called the function that it wraps, and that waits). Threads that
 * wait in a system call come first, those without a time limit before those with one. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

struct safe_points;

/* Read what must be read of the process's files and maps, before any thread is stopped. NULL and
 * *err on failure. */
struct safe_points *safe_points_open(pid_t pid, struct profile_error *err);
void safe_points_close(struct safe_points *s);

/* Threads in the order in which they are worth asking. Their number; at most `room`. Takes up what
 * was loaded and unloaded meanwhile: call it again, with nothing stopped, where a thread cannot be
 * borrowed. */
size_t safe_points_candidates(struct safe_points *s, pid_t *tids, size_t room);

/* The address of the lock that dlopen takes; 0: not known. A thread is not judged to be at a safe
 * point while another one holds it. */
uint64_t safe_points_lock(const struct safe_points *s);

/* The calls to come do not take it: in a forked child it may be held for ever. */
void safe_points_ignore_lock(struct safe_points *s);

/* Why a thread that this process has stopped by ptrace cannot be borrowed now: a text for messages,
 * static. NULL: it can be. */
const char *safe_points_judge(struct safe_points *s, pid_t tid);

/* The address of a function that libc (or libdl) of the process exports; 0: there is none. For
 * dlopen it may be that of __libc_dlopen_mode, which has the same arguments. */
uint64_t safe_points_function(struct safe_points *s, const char *name);

/* The address of the bytes `code` in executable memory of libc; 0: none. */
uint64_t safe_points_code(struct safe_points *s, const uint8_t *code, size_t bytes);
