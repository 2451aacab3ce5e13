#pragma once
#include <sqlite3.h>
#ifdef __linux__
#include <sys/vfs.h> /* statfs, which Swift's Glibc module leaves out */
#endif

/* Only what Swift cannot import: a variadic function and a cast macro. */

/* Switches one boolean setting of a connection and returns SQLite's code. `now` gets the value
   in force afterwards. */
static inline int macrolog_sqlite3_db_config(sqlite3 *db, int setting, int on, int *now) {
    return sqlite3_db_config(db, setting, on, now);
}

/* SQLite copies the value before the binding call returns. */
static inline sqlite3_destructor_type macrolog_sqlite3_transient(void) {
    return SQLITE_TRANSIENT;
}
