// SPDX-License-Identifier: Apache-2.0
/* Which version this library is of, readable without loading it: `scprof doctor` looks for the
 * section, since a library and a tool of different builds may disagree about the format. */
#include "include/scprof_version.h"

__attribute__((used, section("scprof_version"))) static const char version[] = SCPROF_VERSION;
