#pragma once
#include "fault_disk.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

/* Bytes of a file. */
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
    int exists;
} content;

typedef struct {
    int kind;
    int file; /* index in `names`; of a name's operation what it names */
    int name, other; /* of a name's operation: indices in `paths` */
    uint64_t offset;
    content data; /* of a write or a replacement */
} operation;

typedef struct open_file open_file;

#define FILES_MAX 512
#define PATHS_MAX 256
#define TREES_MAX 8

/* What a path names. */
#define NOTHING (-1)
#define FOLDER (-2)

struct fault_disk {
    /* Databases, by their names; then the other files that were ever made, whatever they are called. */
    char *names[FILES_MAX];
    int is_watched[FILES_MAX];
    uint64_t identity[FILES_MAX]; /* inode of a watched file */
    int file_count, held_count;   /* of all; of those with names of their own */
    content base[FILES_MAX];      /* what was durable when the log began */
    int exists[FILES_MAX];        /* whether there is such a file now, flushed or not */
    /* What lies below the trees, and what it names: a file, a folder, nothing. */
    char *trees[TREES_MAX];
    int tree_count;
    char *paths[PATHS_MAX];
    int parents[PATHS_MAX];
    int path_count;
    int base_linked[PATHS_MAX], linked[PATHS_MAX];
    int descriptor_count; /* that are open on any of it */
    operation *log;
    size_t count, capacity;
    int kind;
    uint64_t spared, failing, failures;
    int is_armed, in_flight; /* whether the last of the log was cut off in its middle */
    _Atomic int is_off;      /* read without the lock */
    uint64_t names_seen;     /* `fault_names` when it looked at what it watches */
    uint64_t until_cut;
    open_file *open;
    fault_disk *next;
};

extern pthread_mutex_t fault_lock;

/* One lock for all disks. Whoever holds it calls nothing that could take it again, or a lock of
   SQLite's: a second entry aborts. It is mostly held for a moment: whoever finds it taken tries again
   before he sleeps. */
static inline void fault_enter(void) {
    for (int tries = 0; tries < 100; tries++)
        if (pthread_mutex_trylock(&fault_lock) == 0) return;
    if (pthread_mutex_lock(&fault_lock) != 0) abort();
}
static inline void fault_leave(void) { pthread_mutex_unlock(&fault_lock); }

extern fault_disk *fault_disks;

/* How often this process has given, moved or removed a name of a file outside all trees. */
extern _Atomic uint64_t fault_names;

/* content.c */
void content_free(content *content);
void content_copy(content *to, const content *from);
void content_write(content *content, uint64_t offset, const uint8_t *bytes, size_t count);
void content_truncate(content *content, uint64_t size);
void content_load(content *content, const char *path);
void content_store(const content *content, const char *path);
uint64_t content_hash(const content *content, uint64_t hash);

/* wal.c */
size_t wal_seen(const content *log);

/* log.c; under the lock */
operation *log_add(
    fault_disk *disk, int kind, int file, uint64_t offset, const void *bytes, size_t count);
void log_clear(fault_disk *disk);
void log_watched(fault_disk *disk);
/* Whether an operation of this kind is to fail, and how. */
int log_fails(fault_disk *disk, int kind);
/* Notes an operation that is about to happen, unless the power is off. Returns whether it may. */
int log_begin(
    fault_disk *disk, int kind, int file, uint64_t offset, const void *bytes, size_t count);
int log_begin_name(fault_disk *disk, int kind, int file, int name, int other);

/* vfs.c. Not under the lock: SQLite takes one of its own to close, and another thread that holds that
   one may be about to open a file. */
void close_all(fault_disk *disk);

/* vfs.c; under the lock */
/* The disk that a database's file lies on. */
fault_disk *find_database(const char *name, int *file);

/* files.c; under the lock */
int files_add(fault_disk *disk);
int files_path(fault_disk *disk, const char *path);
void files_load(fault_disk *disk);
void files_forget(fault_disk *disk);
