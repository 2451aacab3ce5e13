#include "disk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is durable after the first `position` operations, and which of them are still pending. */
struct fault_replay {
    fault_disk *disk;
    size_t position;
    content durable[FILES_MAX];
    size_t *pending; /* indices into the log, in order */
    size_t count, capacity;
    content image[FILES_MAX];
    int durable_linked[PATHS_MAX], image_linked[PATHS_MAX];
};

fault_replay *fault_replay_new(fault_disk *disk) {
    fault_replay *replay = calloc(1, sizeof *replay);
    if (!replay) abort();
    replay->disk = disk;
    for (int file = 0; file < disk->file_count; file++)
        content_copy(&replay->durable[file], &disk->base[file]);
    memcpy(replay->durable_linked, disk->base_linked, sizeof replay->durable_linked);
    return replay;
}

void fault_replay_free(fault_replay *replay) {
    for (int file = 0; file < FILES_MAX; file++) {
        content_free(&replay->durable[file]);
        content_free(&replay->image[file]);
    }
    free(replay->pending);
    free(replay);
}

/* SplitMix64 (S. Vigna, 2015). */
static uint64_t roll(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

/* What becomes of a name. A file's bytes do not depend on it. */
static void apply_name(int *linked, const operation *done) {
    switch (done->kind) {
    case FAULT_CREATE:
    case FAULT_FOLDER: linked[done->name] = done->file; break;
    case FAULT_DELETE: linked[done->name] = NOTHING; break;
    case FAULT_RENAME:
        /* Whether or not the name that it had before has lasted. */
        linked[done->other] = done->file;
        if (linked[done->name] == done->file) linked[done->name] = NOTHING;
        break;
    default: break;
    }
}

static void apply(content *files, int *linked, const operation *done) {
    if (done->name != NOTHING) return apply_name(linked, done);
    content *file = &files[done->file];
    switch (done->kind) {
    case FAULT_WRITE:
        if (file->exists) content_write(file, done->offset, done->data.bytes, done->data.count);
        break;
    case FAULT_TRUNCATE:
        if (file->exists) content_truncate(file, done->offset);
        break;
    case FAULT_CREATE:
        content_truncate(file, 0);
        file->exists = 1;
        break;
    case FAULT_DELETE:
        content_truncate(file, 0);
        file->exists = 0;
        break;
    case FAULT_REPLACE: content_copy(file, &done->data); break;
    default: break;
    }
}

static int changes_name(const operation *done) {
    return done->name == NOTHING && (done->kind == FAULT_CREATE || done->kind == FAULT_DELETE);
}

/* Whether a flush of a folder makes the change of a name last. */
static int is_in(const fault_disk *disk, const operation *done, int folder) {
    return done->name != NOTHING
        && (disk->parents[done->name] == folder
            || (done->other != NOTHING && disk->parents[done->other] == folder));
}

/* Makes durable, in order, what a flush makes durable. Of a database: what was done to it, and the
   name of every database (as a journalling file system does). Of another file: its bytes. Of a
   folder: the names in it. */
static void flush(fault_replay *replay, int file, int folder) {
    const fault_disk *disk = replay->disk;
    size_t left = 0;
    for (size_t index = 0; index < replay->count; index++) {
        size_t place = replay->pending[index];
        const operation *done = &disk->log[place];
        int lasts = folder != NOTHING ? is_in(disk, done, folder)
            : done->name == NOTHING
                && (done->file == file || (file < disk->held_count && changes_name(done)));
        if (!lasts) {
            replay->pending[left++] = place;
            continue;
        }
        apply(replay->durable, replay->durable_linked, done);
        int is_gone = done->name == NOTHING && done->kind == FAULT_DELETE;
        if (!is_gone && done->kind != FAULT_RENAME) continue;
        /* What was written to the file that is gone goes with it, and what made the name that is. */
        size_t others = 0;
        for (size_t other = 0; other < left; other++) {
            const operation *before = &disk->log[replay->pending[other]];
            if (is_gone ? before->file != done->file : before->name != done->name)
                replay->pending[others++] = replay->pending[other];
        }
        left = others;
    }
    replay->count = left;
}

/* Forgets what a flush that failed should have flushed: the system takes it for written. Names stay:
   a journal that can't be written stops its file system. */
static void forget(fault_replay *replay, int file) {
    size_t left = 0;
    for (size_t index = 0; index < replay->count; index++) {
        const operation *done = &replay->disk->log[replay->pending[index]];
        if (done->file != file || done->name != NOTHING || changes_name(done))
            replay->pending[left++] = replay->pending[index];
    }
    replay->count = left;
}

static void advance(fault_replay *replay, size_t position) {
    for (; replay->position < position; replay->position++) {
        const operation *done = &replay->disk->log[replay->position];
        switch (done->kind) {
        case FAULT_SYNC: flush(replay, done->file, NOTHING); continue;
        case FAULT_SYNC_FOLDER: flush(replay, NOTHING, done->name); continue;
        case FAULT_LOST_SYNC:
            if (done->name == NOTHING) forget(replay, done->file);
            continue;
        case FAULT_REPLACE: apply(replay->durable, NULL, done); continue;
        default: break;
        }
        if (replay->count == replay->capacity) {
            replay->capacity = replay->capacity ? replay->capacity * 2 : 64;
            replay->pending = realloc(replay->pending, replay->capacity * sizeof(size_t));
            if (!replay->pending) abort();
        }
        replay->pending[replay->count++] = replay->position;
        /* SQLite flushes the folder when it deletes a journal that must not come back. */
        if (done->kind == FAULT_DELETE && done->offset) flush(replay, NOTHING, NOTHING);
    }
}

/* Applies the sectors of a write that chance, or the cut, has spared. */
static void apply_sectors(
    content *files, const operation *done, int damage, uint64_t *state) {
    content *file = &files[done->file];
    if (!file->exists) return;
    size_t count = done->data.count;
    uint64_t sectors = (done->offset % FAULT_SECTOR + count + FAULT_SECTOR - 1) / FAULT_SECTOR;
    uint64_t cut = damage == FAULT_TORN ? roll(state) % (sectors + 1) : sectors;
    size_t place = 0;
    for (uint64_t sector = 0; sector < cut; sector++) {
        size_t part = FAULT_SECTOR - (done->offset + place) % FAULT_SECTOR;
        if (part > count - place) part = count - place;
        uint64_t fate = damage == FAULT_TORN ? 0 : roll(state);
        if (fate % 2 == 0) {
            content_write(file, done->offset + place, done->data.bytes + place, part);
            if (damage == FAULT_GARBAGE && fate / 2 % 4 == 0)
                for (size_t byte = 0; byte < part; byte++)
                    file->bytes[done->offset + place + byte] = (uint8_t)(roll(state) >> 56);
        }
        place += part;
    }
}

/* What a path names in the image, if the folders above it are there. */
static int reached(const fault_replay *replay, int path) {
    for (int above = replay->disk->parents[path]; above != NOTHING;
         above = replay->disk->parents[above])
        if (replay->image_linked[above] != FOLDER) return NOTHING;
    return replay->image_linked[path];
}

static uint64_t hash_image(const fault_replay *replay, int only_seen) {
    const fault_disk *disk = replay->disk;
    uint64_t hash = 0;
    for (int file = 0; file < disk->held_count; file++) {
        content found = replay->image[file];
        size_t length = strlen(disk->names[file]);
        if (only_seen && length > 4 && strcmp(disk->names[file] + length - 4, "-wal") == 0) {
            found.count = wal_seen(&found);
            /* An empty log is as good as none. */
            found.exists = found.count > 0;
        }
        hash = content_hash(&found, hash);
    }
    for (int path = 0; path < disk->path_count; path++) {
        int named = reached(replay, path);
        hash = (hash ^ (uint64_t)(named < 0 ? -named : 0)) * 0x9E3779B97F4A7C15u;
        if (named >= 0) hash = content_hash(&replay->image[named], hash);
    }
    return hash;
}

uint64_t fault_replay_crash(fault_replay *replay, uint64_t index, int damage, uint64_t seed) {
    fault_disk *disk = replay->disk;
    if (index < replay->position || index > disk->count) abort();
    advance(replay, index);
    for (int file = 0; file < disk->file_count; file++)
        content_copy(&replay->image[file], &replay->durable[file]);
    memcpy(replay->image_linked, replay->durable_linked, sizeof replay->image_linked);

    uint64_t state = seed;
    size_t count = replay->count;
    /* The write in whose middle the power fails is one of those that may have begun. */
    int has_begun = index < disk->count && disk->log[index].kind == FAULT_WRITE;
    size_t end = count + (has_begun && damage != FAULT_KEPT ? 1 : 0);
    size_t cut = damage == FAULT_TORN ? roll(&state) % (end + 1) : end;
    for (size_t place = 0; place < end && damage != FAULT_LOST; place++) {
        const operation *done =
            &disk->log[place < count ? replay->pending[place] : (size_t)index];
        if (damage == FAULT_KEPT || (damage == FAULT_TORN && place < cut)) {
            apply(replay->image, replay->image_linked, done);
        } else if (damage == FAULT_TORN) {
            if (done->kind == FAULT_WRITE)
                apply_sectors(replay->image, done, damage, &state);
            break;
        } else if (done->kind == FAULT_WRITE) {
            apply_sectors(replay->image, done, damage, &state);
        } else if (roll(&state) % 2 == 0) {
            apply(replay->image, replay->image_linked, done);
        }
    }
    return hash_image(replay, 0);
}

uint64_t fault_replay_seen(const fault_replay *replay) { return hash_image(replay, 1); }

void fault_replay_write(fault_replay *replay) {
    const fault_disk *disk = replay->disk;
    char memory[4096];
    for (int file = 0; file < disk->held_count; file++) {
        const char *name = disk->names[file];
        content_store(&replay->image[file], name);
        /* Shared memory does not survive a machine. */
        snprintf(memory, sizeof memory, "%s-shm", name);
        unlinkat(AT_FDCWD, memory, 0);
    }
    for (int path = disk->path_count - 1; path >= 0; path--)
        if (disk->parents[path] != NOTHING && unlinkat(AT_FDCWD, disk->paths[path], 0) != 0)
            unlinkat(AT_FDCWD, disk->paths[path], AT_REMOVEDIR);
    for (int path = 0; path < disk->path_count; path++) {
        int named = reached(replay, path);
        if (disk->parents[path] == NOTHING || named == NOTHING) continue;
        if (named == FOLDER)
            mkdirat(AT_FDCWD, disk->paths[path], 0700);
        else
            content_store(&replay->image[named], disk->paths[path]);
    }
}
