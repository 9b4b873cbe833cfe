/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps Valgrind away from debug information: the collector reads it when the program is over, and Valgrind 3.19 ends
 * the program over line tables of DWARF 5 that clang 19 writes. Symbols are still read.
 *
 * The linker (--wrap) puts this in the place of the core's reader. */
#include "observe/emulated/valgrind/tool.h"

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void) {}
