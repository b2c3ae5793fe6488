// SPDX-License-Identifier: GPL-3.0-or-later
/* Messages into a gzip stream. zlib's own gzFile writes to descriptors only, and a report may go
 * to memory. */
#include "report/render/pprof/pprof_write.h"

#include <stdlib.h>
#include <string.h>

#define GZIP_WRAPPER 16 /* added to the window's bits: see deflateInit2 */

int pprof_write_begin(struct gzip *g, FILE *out)
{
	memset(g, 0, sizeof(*g));
	g->out = out;
	g->begun = deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER,
				8, Z_DEFAULT_STRATEGY) == Z_OK;
	g->failed = !g->begun;
	return g->failed ? -1 : 0;
}

static void run(struct gzip *g, int flush)
{
	do {
		size_t bytes;

		g->z.next_out = g->room;
		g->z.avail_out = sizeof(g->room);
		if (deflate(&g->z, flush) == Z_STREAM_ERROR) {
			g->failed = true;
			return;
		}
		bytes = sizeof(g->room) - g->z.avail_out;
		if (fwrite(g->room, 1, bytes, g->out) != bytes)
			g->failed = true;
	} while (g->z.avail_out == 0 && !g->failed);
}

static void write_bytes(struct gzip *g, const void *bytes, size_t count)
{
	if (g->failed)
		return;
	g->z.next_in = (unsigned char *)bytes;
	g->z.avail_in = (unsigned)count; /* callers pass what fits one message */
	run(g, Z_NO_FLUSH);
}

int pprof_write_end(struct gzip *g)
{
	if (!g->failed)
		run(g, Z_FINISH);
	if (g->begun)
		deflateEnd(&g->z);
	return g->failed ? -1 : 0;
}

int64_t pprof_write_string(struct pprof_writer *w, const char *text)
{
	uint32_t number = string_index_add(&w->strings, text);

	if (number != STRING_INDEX_NONE)
		return number;
	w->failed = true;
	return 0;
}

void pprof_write_message(struct pprof_writer *w, const Pprof__Profile *part)
{
	size_t bytes = pprof__profile__get_packed_size(part);

	if (bytes > w->packed_room) {
		unsigned char *grown = realloc(w->packed, bytes * 2);

		if (!grown) {
			w->failed = true;
			return;
		}
		w->packed = grown;
		w->packed_room = bytes * 2;
	}
	write_bytes(&w->gzip, w->packed, pprof__profile__pack(part, w->packed));
}
