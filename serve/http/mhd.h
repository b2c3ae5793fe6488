// SPDX-License-Identifier: GPL-3.0-or-later
/* libmicrohttpd, loaded when a server starts: with the nine libraries that it depends on it would
 * add 1.2 ms to the start of every other command. */
#ifndef SCPROF_SERVE_HTTP_MHD_H
#define SCPROF_SERVE_HTTP_MHD_H

#include <microhttpd.h>

#include "profile/base/error.h"

#define MHD_FUNCTIONS(X)                                                                           \
	X(start_daemon)                                                                            \
	X(stop_daemon)                                                                             \
	X(add_response_header)                                                                     \
	X(create_response_from_buffer)                                                             \
	X(create_response_from_fd)                                                                 \
	X(destroy_response)                                                                        \
	X(get_connection_info)                                                                     \
	X(get_connection_values)                                                                   \
	X(lookup_connection_value)                                                                 \
	X(queue_response)                                                                          \
	X(set_connection_option)

#define MHD_POINTER(name) __typeof__(MHD_##name) *name;
struct mhd {
	MHD_FUNCTIONS(MHD_POINTER)
};
#undef MHD_POINTER

extern struct mhd mhd; /* valid after... */

/* ...this: 0, or -1 with an error. One thread at a time; it may be called again. */
int mhd_load(struct profile_error *err);

#endif
