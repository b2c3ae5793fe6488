// SPDX-License-Identifier: GPL-3.0-or-later
/* A plugin (with -DPLUGIN), or the library that it needs. LATE_FACTOR tells two apart. */
long late_function(long x);
long plugin_entry(long x);

#ifdef PLUGIN
long plugin_entry(long x)
{
	return late_function(x) + 1;
}
#else
long late_function(long x)
{
	return x * LATE_FACTOR;
}
#endif
