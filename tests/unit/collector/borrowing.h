// SPDX-License-Identifier: GPL-3.0-or-later
/* A program with one thread, which is borrowed and checks everything of itself
 * (tests/programs/attach/borrowed.c), and a library that counts (counting.c). A test that uses
 * this borrows without asking where the thread is. */
#ifndef BORROWING_H
#define BORROWING_H

#include "collector/attach/attach.h"
#include "tests/programs/attach/borrowed.h"

struct borrowing {
	struct borrowed *says;
	struct attach_order order;
	pid_t pid;
};

/* Start it as a child, and wait until it does what `kind` says. */
void borrowing_start(struct borrowing *p, const char *kind);
void borrowing_start_as(struct borrowing *p, const char *kind, uid_t user);
void borrowing_stop(struct borrowing *p);

/* Assert that it lives, and has found nothing wrong. */
void borrowing_check(const struct borrowing *p, const char *kind);

/* Did a tool give up since it was late, as on a busy machine? It says so. */
bool borrowing_late(int status, const struct profile_error *err);

/* Begin, or end, which must be so. False: the tool was late. */
bool borrowing_begins(const struct borrowing *p, struct attach_result *r);
bool borrowing_ends(const struct borrowing *p, struct attach_result *r, bool *was);

/* A trial with a process of its own. Where it is false, since the tool was late, it is made again,
 * but not for ever. */
void borrowing_repeat(const char *kind, bool (*trial)(const struct borrowing *p, const char *kind));

#endif
