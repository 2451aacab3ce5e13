#pragma once
#include "fault_memory.h"
#include <stddef.h>
#include <stdint.h>

/* A disk that fails on order, for the simulation only.

   It lies between SQLite and the files of chosen databases. Every write reaches the real file at
   once, as it would reach the cache of an operating system; a log remembers which of them were
   flushed. From the log follows what a disk may hold after the power failed at any moment: what was
   flushed, and of the rest whatever an unkind disk has kept. All other files pass untouched.

   Files that a program uses without SQLite can be put on it, too: see `fault_disk_hold_tree`. */

typedef struct fault_disk fault_disk;
typedef struct fault_replay fault_replay;

/* What an operation did. */
enum fault_operation {
    FAULT_WRITE, /* bytes at an offset */
    FAULT_TRUNCATE,
    FAULT_SYNC,
    FAULT_CREATE, /* a name: a database's lasts from the next flush of any database on, another
                     file's from the next flush of its folder on */
    FAULT_DELETE,
    FAULT_LOST_SYNC, /* a flush that failed: what it should have flushed never will be */
    FAULT_REPLACE,   /* a watched file was put in place of another, durably */
    FAULT_RENAME,    /* a file got another name, in the place of what had it */
    FAULT_FOLDER,    /* a folder was made */
    FAULT_SYNC_FOLDER,
};

/* What a power failure leaves of that which was not flushed. */
enum fault_damage {
    FAULT_KEPT,      /* everything: only the process was killed */
    FAULT_LOST,      /* nothing */
    FAULT_TORN,      /* a beginning, cut between two sectors */
    FAULT_REORDERED, /* any sectors */
    FAULT_GARBAGE,   /* any sectors, some with other bytes where new ones belong */
};

/* How an operation fails. */
enum fault_kind {
    FAULT_NONE,
    FAULT_WRITE_ERROR, /* EIO; nothing is written */
    FAULT_FULL,        /* ENOSPC; nothing is written */
    FAULT_SHORT_WRITE, /* half of it is written, then ENOSPC */
    FAULT_SYNC_ERROR,  /* EIO; what was to be flushed is forgotten, and the next flush says OK */
    FAULT_READ_ERROR,  /* EIO */
};

/* The smallest part of a disk that is written as a whole, in bytes. A write that covers part of a
   sector leaves the rest of it alone ("powersafe overwrite", as SQLite assumes of every disk). */
#define FAULT_SECTOR 512

/* Databases. */

/* Takes over SQLite's usual file system, once for the process. Returns SQLite's code. */
int fault_disk_install(void);
fault_disk *fault_disk_new(void);
/* Nobody may have a file of the disk open any more. */
void fault_disk_free(fault_disk *disk);
/* Puts a database with its write-ahead log and its journal on the disk, as its files are now. Only
   connections that open it from then on are concerned. */
void fault_disk_hold(fault_disk *disk, const char *database);
/* Puts whatever has a path that begins so on the disk: files beside the databases, and folders with
   all that is in them. They must lie in one folder, which is there. Everything in this process that
   goes through the system's functions for files is concerned (Linux only). */
void fault_disk_hold_tree(fault_disk *disk, const char *start);

/* Whether this system lets it: on Linux only. */
static inline _Bool fault_disk_holds_trees(void) {
#ifdef __linux__
    return 1;
#else
    return 0;
#endif
}
/* Notes, before each operation, whether this file was replaced by another one. */
void fault_disk_watch(fault_disk *disk, const char *file);
/* Treats what the files hold now as flushed, and forgets the log; the power is on. */
void fault_disk_adopt_contents(fault_disk *disk);

/* Operations so far since the log began. */
uint64_t fault_disk_count(fault_disk *disk);
/* What operation `index` was: a `fault_operation`. */
int fault_disk_operation(fault_disk *disk, uint64_t index);

/* Faults. */

/* Lets operations of one kind fail: the next `after` that could are spared, then `times` fail. */
void fault_disk_fail(fault_disk *disk, int kind, uint64_t after, uint64_t times);
/* How many operations have failed since. */
uint64_t fault_disk_failures(fault_disk *disk);
/* Lets the power fail in the middle of an operation, `after` operations from now. */
void fault_disk_cut(fault_disk *disk, uint64_t after);
/* Whether the power has failed: every call fails until it is back. */
int fault_disk_is_off(fault_disk *disk);
/* Lets every call fail from now on, as the end of the process does. */
void fault_disk_stop(fault_disk *disk);
/* Closes what the process, whose threads have ended by now, has left open, and releases its locks;
   the next process may begin. */
void fault_disk_kill(fault_disk *disk);
/* Ends the process and lets the power come back, over the damage that its failure has done. */
void fault_disk_restore(fault_disk *disk, int damage, uint64_t seed);

/* Every crash that could have happened. The disk must outlive its replay, and rest meanwhile. */

fault_replay *fault_replay_new(fault_disk *disk);
void fault_replay_free(fault_replay *replay);
/* Prepares what is left when the power fails in the middle of operation `index`, which is at least
   that of the last call; returns a hash of it. */
uint64_t fault_replay_crash(fault_replay *replay, uint64_t index, int damage, uint64_t seed);
/* A hash of as much of it as is ever read, which leaves out what lies in a write-ahead log behind its
   last commit. */
uint64_t fault_replay_seen(const fault_replay *replay);
/* Puts that into the files, which nobody may have open. */
void fault_replay_write(fault_replay *replay);
