// SPDX-License-Identifier: GPL-3.0-or-later
/* A directory with made profiles, and an agent that follows them: for tests of serve/. */
#ifndef SCPROF_TESTS_PLACE_H
#define SCPROF_TESTS_PLACE_H

#include "report/serve/agent/agent.h"
#include "tests/unit/support/scp_build.h"

struct place {
	char directory[64];
	const char *directories[1];
	struct agent agent;
};

/* Setup and teardown of a cmocka test; *state becomes a struct place. */
int place_begin(void **state);
int place_end(void **state);

/* Another agent, after agent_close: with these options where they are not 0. */
int place_begin_with(struct place *x, const struct agent_options *more);

/* The path of a file in it; valid for three calls more. */
const char *place_path(const struct place *x, const char *name);

/* A process with `calls` calls of send, 1000 ns each, 100 bytes each, on one path. */
void place_build(struct scp_build *b, uint32_t pid, const char *exe, uint64_t calls);
void place_save(const struct place *x, const char *name, uint32_t pid, const char *exe,
		uint64_t calls);
/* One of /bin/a that began at a time. */
void place_save_begun(const struct place *x, const char *name, uint32_t pid, uint64_t begun_ns,
		      uint64_t calls);
/* Write over a file that is there, as a process does: the same inode. */
void place_rewrite(const struct place *x, const char *name, uint32_t pid, const char *exe,
		   uint64_t calls);

/* As a scrape a while later, when every file is due. */
void place_look(struct place *x);
void place_all_due(struct place *x);

/* What the agent has counted: completed calls by a monotonic clock. */
const struct counters_row *place_row(const struct place *x, const char *service,
				     const char *function);
uint64_t place_calls(const struct place *x, const char *service);
size_t place_files(const struct place *x, enum source_state state);

#endif
