// SPDX-License-Identifier: GPL-3.0-or-later
/* How a snapshot gets from the agent to the process that renders it: over a SOCK_SEQPACKET socket,
 * with its descriptors. */
#ifndef SCPROF_SERVE_RENDER_RENDERER_WIRE_H
#define SCPROF_SERVE_RENDER_RENDERER_WIRE_H

#include "serve/render/snapshot.h"

/* 0, or -1 with errno: EAGAIN where the other side has not read for SO_SNDTIMEO. */
int renderer_wire_send(int socket, const struct snapshot *s);

/* 0, and snapshot_free is due; or -1: the process should end. */
int renderer_wire_receive(int socket, struct snapshot *s);

#endif
