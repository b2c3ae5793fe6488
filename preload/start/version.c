// SPDX-License-Identifier: Apache-2.0
/* Which version this library is of, readable without loading it: `scprof doctor` looks for the
 * section, since a library and a tool of different builds may disagree about the format. */
__attribute__((used, section("scprof_version"))) static const char version[] = SCPROF_VERSION_TEXT;
