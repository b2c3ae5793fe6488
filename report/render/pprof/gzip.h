// SPDX-License-Identifier: GPL-3.0-or-later
/* A gzip stream into a FILE, without a time stamp: equal input, equal output. */
#ifndef SCPROF_REPORT_RENDER_PPROF_GZIP_H
#define SCPROF_REPORT_RENDER_PPROF_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct gzip {
	z_stream z;
	FILE *out;
	bool failed, begun;
	unsigned char room[1 << 16];
};

int gzip_begin(struct gzip *g, FILE *out);
void gzip_write(struct gzip *g, const void *bytes, size_t count);
/* 0, or -1: something failed since gzip_begin. Due after every gzip_begin. */
int gzip_end(struct gzip *g);

#endif
