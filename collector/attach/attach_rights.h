// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_COLLECTOR_ATTACH_ATTACH_RIGHTS_H
#define SCPROF_COLLECTOR_ATTACH_ATTACH_RIGHTS_H

#include <sys/types.h>

#include "profile/profile.h"

/* Limit what the files of a process can make this one do: CPU time, address space; and as root,
 * give up all rights but those of the process's user, and tracing where that user may not. For
 * good. 0; or -1 with *err. */
int attach_rights_drop(pid_t pid, struct profile_error *err);

#endif
