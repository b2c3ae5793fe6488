// SPDX-License-Identifier: Apache-2.0
/* The version of tool and library; the profile format has its own (SCP_VERSION). */
#ifndef SCPROF_VERSION_H
#define SCPROF_VERSION_H

#define SCPROF_VERSION "0.1.0"

#endif
