// SPDX-License-Identifier: GPL-3.0-or-later
/* The tool's version; the profile format has its own (SCP_VERSION). */
#ifndef SCPROF_CLI_VERSION_H
#define SCPROF_CLI_VERSION_H

#define SCPROF_VERSION "0.1.0"

#endif
