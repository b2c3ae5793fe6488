// SPDX-License-Identifier: GPL-3.0-or-later
/* Messages into memory, which is compressed at the end. zlib's own gzFile writes to descriptors
 * only, and a report may go to memory. */
#include "report/render/pprof/pprof_write.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_WRAPPER 16 /* added to the window's bits: see deflateInit2 */

int pprof_write_begin(struct pprof_writer *w)
{
	w->messages = open_memstream(&w->text, &w->bytes);
	return w->messages ? 0 : -1;
}

/* Without a time stamp: equal input, equal output. */
static int compress_to(FILE *out, char *text, size_t bytes)
{
	z_stream z = {0};
	unsigned char *packed;
	uLong most;
	int status = -1;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	most = deflateBound(&z, bytes);
	packed = malloc(most);
	z.next_in = (unsigned char *)text;
	z.avail_in = (uInt)bytes;
	z.next_out = packed;
	z.avail_out = (uInt)most;
	if (packed && most <= UINT32_MAX && deflate(&z, Z_FINISH) == Z_STREAM_END &&
	    fwrite(packed, 1, z.total_out, out) == z.total_out)
		status = 0;
	free(packed);
	deflateEnd(&z);
	return status;
}

int pprof_write_end(struct pprof_writer *w, FILE *out)
{
	int status = -1;

	if (w->messages && fclose(w->messages) == 0 && !w->failed)
		status = compress_to(out, w->text, w->bytes);
	free(w->text);
	return status;
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
	unsigned char *packed = malloc(bytes + 1);

	if (!packed || fwrite(packed, 1, pprof__profile__pack(part, packed), w->messages) != bytes)
		w->failed = true;
	free(packed);
}
