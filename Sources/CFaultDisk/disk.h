#pragma once
#include "fault_disk.h"
#include <pthread.h>
#include <sqlite3.h>

/* Bytes of a file. */
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
    int exists;
} content;

typedef struct {
    int kind;
    int file; /* index in `names` */
    uint64_t offset;
    content data; /* of a write or a replacement */
} operation;

typedef struct open_file open_file;

#define FILES_MAX 16

struct fault_disk {
    char *names[FILES_MAX];
    int is_watched[FILES_MAX];
    uint64_t identity[FILES_MAX]; /* inode of a watched file */
    int file_count;
    content base[FILES_MAX]; /* what was durable when the log began */
    int exists[FILES_MAX];   /* whether there is such a file now, flushed or not */
    operation *log;
    size_t count, capacity;
    int kind;
    uint64_t spared, failing, failures;
    int is_armed, is_off, in_flight; /* whether the last of the log was cut off in its middle */
    uint64_t until_cut;
    int holds_syncs;
    open_file *open;
    fault_disk *next;
};

extern pthread_mutex_t fault_lock;
extern pthread_cond_t fault_released;
extern fault_disk *fault_disks;

/* content.c */
void content_free(content *content);
void content_copy(content *to, const content *from);
void content_write(content *content, uint64_t offset, const uint8_t *bytes, size_t count);
void content_truncate(content *content, uint64_t size);
void content_load(content *content, const char *path);
void content_store(const content *content, const char *path);
uint64_t content_hash(const content *content, uint64_t hash);

/* log.c; under the lock */
void log_add(fault_disk *disk, int kind, int file, uint64_t offset, const void *bytes, size_t count);
void log_clear(fault_disk *disk);
void log_watched(fault_disk *disk);

/* vfs.c; under the lock */
void close_all(fault_disk *disk);
