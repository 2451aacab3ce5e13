#define _GNU_SOURCE
#include "disk.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
pthread_mutex_t fault_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
#else
pthread_mutex_t fault_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER;
#endif
fault_disk *fault_disks;
_Atomic uint64_t fault_names;

static uint64_t identity(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

operation *log_add(
    fault_disk *disk, int kind, int file, uint64_t offset, const void *bytes, size_t count) {
    if (disk->count == disk->capacity) {
        disk->capacity = disk->capacity ? disk->capacity * 2 : 256;
        disk->log = realloc(disk->log, disk->capacity * sizeof *disk->log);
        if (!disk->log) abort();
    }
    if (file >= 0 && (kind == FAULT_CREATE || kind == FAULT_DELETE))
        disk->exists[file] = kind == FAULT_CREATE;
    operation *added = &disk->log[disk->count++];
    memset(added, 0, sizeof *added);
    added->kind = kind;
    added->file = file;
    added->name = added->other = NOTHING;
    added->offset = offset;
    added->data.exists = 1;
    if (count) content_write(&added->data, 0, bytes, count);
    return added;
}

int log_fails(fault_disk *disk, int kind) {
    int is_write = kind == FAULT_WRITE_ERROR || kind == FAULT_FULL || kind == FAULT_SHORT_WRITE;
    int wants_write = disk->kind == FAULT_WRITE_ERROR || disk->kind == FAULT_FULL
        || disk->kind == FAULT_SHORT_WRITE;
    if (disk->kind == FAULT_NONE || (is_write ? !wants_write : disk->kind != kind))
        return FAULT_NONE;
    if (disk->spared > 0) {
        disk->spared--;
        return FAULT_NONE;
    }
    if (disk->failing == 0) return FAULT_NONE;
    disk->failing--;
    disk->failures++;
    return disk->kind;
}

/* Whether the power is still on. */
static int goes_on(fault_disk *disk) {
    if (!disk->is_armed) return 1;
    if (disk->until_cut > 0) {
        disk->until_cut--;
        return 1;
    }
    disk->is_off = disk->in_flight = 1;
    return 0;
}

int log_begin(
    fault_disk *disk, int kind, int file, uint64_t offset, const void *bytes, size_t count) {
    if (disk->is_off) return 0;
    log_watched(disk);
    log_add(disk, kind, file, offset, bytes, count);
    return goes_on(disk);
}

int log_begin_name(fault_disk *disk, int kind, int file, int name, int other) {
    if (disk->is_off) return 0;
    log_watched(disk);
    operation *added = log_add(disk, kind, file, 0, NULL, 0);
    added->name = name;
    added->other = other;
    return goes_on(disk);
}

void log_clear(fault_disk *disk) {
    for (size_t index = 0; index < disk->count; index++) content_free(&disk->log[index].data);
    disk->count = 0;
    disk->in_flight = 0;
}

/* A watched file is put in place whole, by renaming: a new one has another inode. */
void log_watched(fault_disk *disk) {
#if defined(__linux__)
    uint64_t names = fault_names;
    if (names == disk->names_seen) return;
    disk->names_seen = names;
#endif
    for (int file = 0; file < disk->held_count; file++) {
        if (!disk->is_watched[file]) continue;
        uint64_t now = identity(disk->names[file]);
        if (now == disk->identity[file]) continue;
        disk->identity[file] = now;
        content found = {0};
        content_load(&found, disk->names[file]);
        log_add(disk, FAULT_REPLACE, file, 0, found.bytes, found.count);
        disk->log[disk->count - 1].data.exists = found.exists;
        content_free(&found);
    }
}

static void add_file(fault_disk *disk, const char *path, const char *end, int is_watched) {
    if (disk->file_count == FILES_MAX) abort();
    size_t count = strlen(path) + strlen(end) + 1;
    char *name = malloc(count);
    if (!name) abort();
    strcpy(name, path);
    strcat(name, end);
    int file = disk->file_count++;
    disk->names[file] = name;
    disk->is_watched[file] = is_watched;
    disk->identity[file] = identity(name);
    content_load(&disk->base[file], name);
    disk->exists[file] = disk->base[file].exists;
    disk->held_count = disk->file_count;
}

fault_disk *fault_disk_new(void) {
    fault_disk *disk = calloc(1, sizeof *disk);
    if (!disk) abort();
    fault_enter();
    disk->next = fault_disks;
    __atomic_store_n(&fault_disks, disk, __ATOMIC_RELAXED);
    fault_leave();
    return disk;
}

void fault_disk_free(fault_disk *disk) {
    close_all(disk);
    fault_enter();
    files_forget(disk);
    for (fault_disk **link = &fault_disks; *link; link = &(*link)->next) {
        if (*link != disk) continue;
        __atomic_store_n(link, disk->next, __ATOMIC_RELAXED);
        break;
    }
    fault_leave();
    log_clear(disk);
    free(disk->log);
    for (int file = 0; file < FILES_MAX; file++) content_free(&disk->base[file]);
    for (int file = 0; file < disk->held_count; file++) free(disk->names[file]);
    for (int path = 0; path < disk->path_count; path++) free(disk->paths[path]);
    for (int tree = 0; tree < disk->tree_count; tree++) free(disk->trees[tree]);
    free(disk);
}

void fault_disk_hold(fault_disk *disk, const char *database) {
    fault_enter();
    add_file(disk, database, "", 0);
    add_file(disk, database, "-wal", 0);
    add_file(disk, database, "-journal", 0);
    fault_leave();
}

void fault_disk_watch(fault_disk *disk, const char *file) {
    fault_enter();
    add_file(disk, file, "", 1);
    fault_leave();
}

void fault_disk_hold_tree(fault_disk *disk, const char *start) {
    fault_enter();
    if (disk->tree_count == TREES_MAX) abort();
    disk->trees[disk->tree_count] = strdup(start);
    if (!disk->trees[disk->tree_count++]) abort();
    files_load(disk);
    fault_leave();
}

void fault_disk_adopt_contents(fault_disk *disk) {
    fault_enter();
    log_clear(disk);
    disk->is_off = disk->is_armed = 0;
    files_forget(disk);
    files_load(disk);
    for (int file = 0; file < disk->held_count; file++) {
        content_load(&disk->base[file], disk->names[file]);
        disk->exists[file] = disk->base[file].exists;
        disk->identity[file] = identity(disk->names[file]);
    }
    fault_leave();
}

uint64_t fault_disk_count(fault_disk *disk) {
    fault_enter();
    log_watched(disk);
    uint64_t count = disk->count;
    fault_leave();
    return count;
}

int fault_disk_operation(fault_disk *disk, uint64_t index) {
    return index < disk->count ? disk->log[index].kind : -1;
}

void fault_disk_fail(fault_disk *disk, int kind, uint64_t after, uint64_t times) {
    fault_enter();
    disk->kind = kind;
    disk->is_armed = 0;
    disk->spared = after;
    disk->failing = times;
    disk->failures = 0;
    fault_leave();
}

uint64_t fault_disk_failures(fault_disk *disk) {
    fault_enter();
    uint64_t failures = disk->failures;
    fault_leave();
    return failures;
}

void fault_disk_cut(fault_disk *disk, uint64_t after) {
    fault_enter();
    disk->is_armed = 1;
    disk->until_cut = after;
    fault_leave();
}

int fault_disk_is_off(fault_disk *disk) { return disk->is_off; }

void fault_disk_stop(fault_disk *disk) {
    fault_enter();
    disk->is_off = 1;
    fault_leave();
}

void fault_disk_kill(fault_disk *disk) {
    close_all(disk);
    fault_enter();
    files_forget(disk);
    disk->is_off = 0;
    fault_leave();
}

void fault_disk_restore(fault_disk *disk, int damage, uint64_t seed) {
    close_all(disk);
    fault_enter();
    if (!disk->is_off) log_watched(disk);
    uint64_t last = disk->count - (disk->in_flight ? 1 : 0);
    disk->is_off = disk->is_armed = 0;
    disk->kind = FAULT_NONE;
    fault_leave();
    fault_replay *replay = fault_replay_new(disk);
    fault_replay_crash(replay, last, damage, seed);
    fault_replay_write(replay);
    fault_replay_free(replay);
    fault_disk_adopt_contents(disk);
}
