// SPDX-License-Identifier: GPL-3.0-or-later
/* many_paths OUT PATHS MODULE...: a profile of so many call paths through the given
 * libraries, as a long-running server would leave it: 12 frames each, the outer ones
 * shared, the inner ones different; few paths are called often, most of them a few
 * times. Build-ids are the files' own, so that names are looked up for real. A slow
 * clock, as such servers are watched with: no histograms. Always the same. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "profile/model/model.h"
#include "profile/profile.h"

#define FRAMES	  12
#define FUNCTIONS 40
#define TICK	  4000000 /* ns, of the coarse clock */

struct code {
	uint64_t start, bytes; /* of the executable part */
	uint32_t module;
};

static uint64_t state = 88172645463325252u;

static uint64_t random_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct code add_module(struct profile *p, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct code code = {0};
	const void *id = "";
	ssize_t bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	size_t segments;
	GElf_Phdr head;

	if (!elf || elf_getphdrnum(elf, &segments) != 0)
		errx(1, "%s is no ELF file", path);
	for (size_t i = 0; i < segments; i++)
		if (gelf_getphdr(elf, (int)i, &head) && head.p_type == PT_LOAD &&
		    head.p_flags & PF_X) {
			code.start = head.p_vaddr;
			code.bytes = head.p_memsz;
		}
	if (!code.bytes)
		errx(1, "%s has no code", path);
	code.module = intern_module(p, path, id, bytes > 0 ? (uint32_t)bytes : 0);
	elf_end(elf);
	close(fd);
	return code;
}

static struct prof_frame frame_in(const struct code *code, uint32_t codes, uint64_t which)
{
	const struct code *c = &code[which % codes];

	/* one of 400 places in it */
	return (struct prof_frame){.module = c->module,
				   .offset =
					   c->start + (which / codes % 400 + 1) * (c->bytes / 402)};
}

/* The number of the path, digit by digit, is the frames from inside outwards. */
static uint32_t add_path(struct profile *p, const struct code *code, uint32_t codes, uint32_t i)
{
	struct prof_frame frame[FRAMES];

	for (uint32_t k = 0; k < FRAMES; k++)
		frame[k] = frame_in(code, codes,
				    (uint64_t)(i >> (2 * k)) * 2654435761u % (80000 >> k) + k);
	frame[1] = frame_in(code, codes, i % 79999);
	return intern_paths_add(p, frame, FRAMES, 0);
}

static struct prof_sums sums_of(uint64_t calls, struct prof_sums *s)
{
	uint64_t ticks = 0;

	memset(s, 0, sizeof(*s));
	s->calls = calls;
	if (calls >= SCP_BATCHES && !(s->batches.sum = calloc(SCP_BATCHES, sizeof(uint64_t))))
		err(1, "many_paths");
	for (uint32_t b = 0; b < SCP_BATCHES; b++) {
		uint64_t each = calls / SCP_BATCHES, hits = each / 16 + (random_next() % 64 < each);

		if (calls < SCP_BATCHES)
			break;
		s->batches.sum[b] = hits * TICK;
		ticks += hits;
	}
	if (calls >= SCP_BATCHES) {
		s->batches.count = SCP_BATCHES;
		for (s->batches.calls = 1; s->batches.calls * 2 * SCP_BATCHES <= calls;)
			s->batches.calls *= 2;
	} else {
		ticks = random_next() % 16 < calls;
	}
	s->units = ticks * TICK;
	s->units_sq = (prof_u128)ticks * TICK * TICK;
	s->max_units = ticks ? TICK : 0;
	s->first_at = 1 + random_next() % 1000000000;
	s->last_at = s->first_at + 3600000000000u;
	s->has_bytes = true;
	s->bytes = calls * 512;
	s->bytes_sq = (prof_u128)calls * 512 * 512;
	s->bytes_units = (prof_u128)s->units * 512;
	return *s;
}

/* Half of the paths once, a quarter twice, ... a few very often. */
static uint64_t calls_of(uint32_t i)
{
	return UINT64_C(1) << (__builtin_ctz(i + 1) % 24);
}

static void add_entries(struct profile *p, uint32_t paths, const struct code *code, uint32_t codes)
{
	static char name[FUNCTIONS][16];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		snprintf(name[f], sizeof(name[f]), "function_%u", f);
		intern_function(p, name[f], "libc.so.6", SCP_GROUP_SOCKET);
	}
	p->entry = calloc(paths, sizeof(*p->entry));
	for (uint32_t i = 0; p->entry && i < paths; i++) {
		struct prof_entry *e = &p->entry[i];

		e->path = add_path(p, code, codes, i);
		e->function = i % FUNCTIONS;
		sums_of(calls_of(i), &e->sums);
		p->table[0].call_units += e->sums.units;
	}
	p->entries = paths;
}

int main(int argc, char **argv)
{
	struct profile *p = profile_new();
	uint32_t codes = (uint32_t)argc - 3;
	struct code *code = calloc(codes + 1, sizeof(*code));
	struct profile_error error;

	if (argc < 4 || !p || !code)
		errx(2, "usage: many_paths OUT PATHS MODULE...");
	elf_version(EV_CURRENT);
	for (uint32_t i = 0; i < codes; i++)
		code[i] = add_module(p, argv[3 + i]);
	p->index->has_clock = true;
	p->index->clock = (struct scp_clock){.kind = SCP_CLOCK_COARSE,
					     .resolution_units = TICK,
					     .unit_ps = 1000,
					     .read_ps = 6000,
					     .last = {3600000000000, 3600000000000, 50}};
	p->process = calloc(1, sizeof(*p->process));
	p->process[0] = (struct prof_process){.pid = 1, .count = 1, .end_state = SCP_END_EXIT};
	p->process[0].exe = strdup("/usr/bin/server");
	p->process[0].program = strdup("server");
	p->process[0].argv = calloc(1, sizeof(char *));
	p->processes = 1;
	p->table = calloc(1, sizeof(*p->table));
	p->table[0] = (struct prof_table){.threads = 1, .name = "server"};
	p->tables = 1;
	add_entries(p, (uint32_t)strtoul(argv[2], NULL, 10), code, codes);
	p->table[0].time_units = p->table[0].call_units;
	if (write_profile(p, argv[1], &error) < 0)
		errx(1, "%s", error.text);
	return 0;
}
