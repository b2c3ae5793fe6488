// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/path_file.h"

void path_file_begin(struct scp_build *b)
{
	scp_build_begin_room(b, 32u << 20);
	scp_build_header(b)->flags = SCP_FILE_HISTOGRAMS;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, "recv", "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_module(b, 0x9001, "/usr/lib/far.so");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	scp_build_table(b, 1, "thread");
}

struct scp_path *path_file_path(struct scp_build *b, uint32_t id, uint32_t base, uint32_t shared,
				uint32_t own, const uint64_t *frame)
{
	struct scp_path *p = scp_build_path(b, id, frame, own);

	p->frames = (uint16_t)(own + shared);
	p->shared = (uint16_t)shared;
	p->base = base;
	return p;
}

struct scp_entry *path_file_entry(struct scp_build *b, uint32_t id, uint32_t path, uint64_t units)
{
	struct scp_entry *e = scp_build_entry(b, id, path, 1, SCP_COMPLETED);

	e->calls = 1;
	e->units = e->max_units = e->min_units = units;
	e->units_sq_lo = units * units;
	return e;
}

const char *path_file_finish(struct scp_build *b, const char *name)
{
	const char *path = scp_build_name(name);

	if (b->used % SCP_GRANULE)
		scp_build_close_chunk(b);
	scp_build_finish(b);
	scp_build_save(b, path);
	scp_build_free(b);
	return path;
}

struct profile *path_file_read(const char *const *path, size_t files)
{
	struct profile_error err;
	struct profile *p = profile_open(path, files, &err);

	if (!p)
		fail_msg("%s", err.text);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	return p;
}

struct profile *path_file_read_one(const char *path)
{
	return path_file_read(&path, 1);
}

struct profile *path_file_read_again(const struct profile *p)
{
	const char *path = scp_build_name("written.scp");
	struct profile_error err;

	if (write_profile(p, path, &err))
		fail_msg("%s", err.text);
	return path_file_read_one(path);
}

void path_file_expect_refusal(struct scp_build *b, const char *why)
{
	const char *path = path_file_finish(b, "bad.scp");
	struct profile_error err;

	if (profile_open(&path, 1, &err))
		fail_msg("read, instead of: %s", why);
	if (!strstr(err.text, why))
		fail_msg("%s, instead of: %s", err.text, why);
}
