#pragma once
#include <sqlite3.h>

/* Only what Swift cannot import: variadic functions and a cast macro. */

/* Switches one boolean setting of a connection and returns SQLite's code. `now` gets the value
   in force afterwards. */
static inline int macrolog_sqlite3_db_config(sqlite3 *db, int setting, int on, int *now) {
    return sqlite3_db_config(db, setting, on, now);
}

/* Lets SQLite allocate without counting bytes under a lock of the whole process. Returns SQLite's
   code: it can be told so before its first use only. */
static inline int macrolog_sqlite3_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* SQLite copies the value before the binding call returns. */
static inline sqlite3_destructor_type macrolog_sqlite3_transient(void) {
    return SQLITE_TRANSIENT;
}
