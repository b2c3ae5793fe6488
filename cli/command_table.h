// SPDX-License-Identifier: GPL-3.0-or-later
/* All commands of the tool. */
#ifndef SCPROF_CLI_COMMAND_TABLE_H
#define SCPROF_CLI_COMMAND_TABLE_H

#include "cli/help/commands.h"

extern const struct commands command_table;

#endif
