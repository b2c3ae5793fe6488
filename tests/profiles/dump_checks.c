// SPDX-License-Identifier: GPL-3.0-or-later
/* dump_checks PROFILE: what the library noted about its call paths, a line each:
 * header.path_checks, then "different OF AT MODULE+OFFSET... | MODULE+OFFSET..." for each
 * PATH_DIFFERENCE record, and how many paths have which flags. Of a whole, unmerged file that this
 * build wrote. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/scprof_format.h"

static void print_frames(const uint64_t *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		printf(" %s%u+%#" PRIx64 "%s", frame[i] & SCP_FRAME_HEURISTIC ? "~" : "",
		       SCP_FRAME_MODULE(frame[i]), SCP_FRAME_OFFSET(frame[i]),
		       SCP_FRAME_EXACT(frame[i]) ? "!" : "");
}

static void print_record(const struct scp_record *rec, int all)
{
	const struct scp_path_difference *d = (const void *)rec;
	const struct scp_path *p = (const void *)rec;

	if (rec->type == SCP_REC_PATH_DIFFERENCE) {
		printf("different %u", d->at);
		print_frames(d->frame, d->ours);
		printf(" |");
		print_frames(d->frame + d->ours, d->theirs);
		printf("\n");
	} else if (rec->type == SCP_REC_PATH && all) {
		printf("path %u flags %u:", p->id, p->flags);
		print_frames(p->frame, (uint32_t)p->frames - p->shared);
		printf("\n");
	} else if (rec->type == SCP_REC_MODULE && all) {
		printf("module %u %s\n", ((const struct scp_module *)rec)->id,
		       ((const struct scp_module *)rec)->path);
	}
}

static void print_chunk(const struct scp_chunk *c, int all)
{
	const uint8_t *at = (const uint8_t *)(c + 1), *end = (const uint8_t *)c + c->used;

	while (at < end) {
		print_record((const struct scp_record *)at, all);
		at += ((const struct scp_record *)at)->bytes;
	}
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct stat s;

	if (fd < 0 || fstat(fd, &s) || (uint64_t)s.st_size < SCP_HEADER_BYTES) {
		fprintf(stderr, "usage: dump_checks PROFILE [paths]\n");
		return 2;
	}
	const uint8_t *file = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	const struct scp_path_checks *c = &((const struct scp_header *)file)->path_checks;
	printf("one_in %u\nunwinder %u\nverified %" PRIu64 "\ndiffer %" PRIu64
	       "\nundecided %" PRIu64 "\nheuristic %" PRIu64 "\ncut %" PRIu64 "\n",
	       c->one_in, c->unwinder, c->verified, c->differ, c->undecided, c->heuristic,
	       ((const struct scp_header *)file)->losses.cut_paths);
	for (uint64_t at = SCP_HEADER_BYTES; at < (uint64_t)s.st_size;) {
		const struct scp_chunk *chunk = (const void *)(file + at);
		int ours = chunk->magic == SCP_CHUNK_MAGIC || chunk->magic == SCP_OPTIONAL_MAGIC;

		if (ours)
			print_chunk(chunk, argc > 2);
		at += ours ? chunk->bytes : SCP_GRANULE;
	}
	return 0;
}
