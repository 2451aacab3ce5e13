#include "disk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is durable after the first `position` operations, and which of them are still pending. */
struct fault_replay {
    fault_disk *disk;
    size_t position;
    content durable[FILES_MAX];
    size_t *pending; /* indices into the log, in order */
    size_t count, capacity;
    content image[FILES_MAX];
};

fault_replay *fault_replay_new(fault_disk *disk) {
    fault_replay *replay = calloc(1, sizeof *replay);
    if (!replay) abort();
    replay->disk = disk;
    for (int file = 0; file < disk->file_count; file++)
        content_copy(&replay->durable[file], &disk->base[file]);
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

static void apply(content *files, const operation *done) {
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
    return done->kind == FAULT_CREATE || done->kind == FAULT_DELETE;
}

/* Makes durable, in order, what a flush of a file makes durable: what was done to it, and every
   name (as a journalling file system does). */
static void flush(fault_replay *replay, int file) {
    size_t left = 0;
    for (size_t index = 0; index < replay->count; index++) {
        size_t place = replay->pending[index];
        const operation *done = &replay->disk->log[place];
        if (done->file != file && !changes_name(done)) {
            replay->pending[left++] = place;
            continue;
        }
        apply(replay->durable, done);
        if (done->kind != FAULT_DELETE) continue;
        /* What was written to the file that is gone goes with it. */
        size_t others = 0;
        for (size_t other = 0; other < left; other++)
            if (replay->disk->log[replay->pending[other]].file != done->file)
                replay->pending[others++] = replay->pending[other];
        left = others;
    }
    replay->count = left;
}

/* Forgets what a flush that failed should have flushed: the system takes it for written. */
static void forget(fault_replay *replay, int file) {
    size_t left = 0;
    for (size_t index = 0; index < replay->count; index++) {
        const operation *done = &replay->disk->log[replay->pending[index]];
        if (done->file != file || changes_name(done))
            replay->pending[left++] = replay->pending[index];
    }
    replay->count = left;
}

static void advance(fault_replay *replay, size_t position) {
    for (; replay->position < position; replay->position++) {
        const operation *done = &replay->disk->log[replay->position];
        switch (done->kind) {
        case FAULT_SYNC: flush(replay, done->file); continue;
        case FAULT_LOST_SYNC: forget(replay, done->file); continue;
        case FAULT_REPLACE: apply(replay->durable, done); continue;
        default: break;
        }
        if (replay->count == replay->capacity) {
            replay->capacity = replay->capacity ? replay->capacity * 2 : 64;
            replay->pending = realloc(replay->pending, replay->capacity * sizeof(size_t));
            if (!replay->pending) abort();
        }
        replay->pending[replay->count++] = replay->position;
        /* SQLite flushes the folder when it deletes a journal that must not come back. */
        if (done->kind == FAULT_DELETE && done->offset) flush(replay, -1);
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

uint64_t fault_replay_crash(fault_replay *replay, uint64_t index, int damage, uint64_t seed) {
    fault_disk *disk = replay->disk;
    if (index < replay->position || index > disk->count) abort();
    advance(replay, index);
    for (int file = 0; file < disk->file_count; file++)
        content_copy(&replay->image[file], &replay->durable[file]);

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
            apply(replay->image, done);
        } else if (damage == FAULT_TORN) {
            if (done->kind == FAULT_WRITE)
                apply_sectors(replay->image, done, damage, &state);
            break;
        } else if (done->kind == FAULT_WRITE) {
            apply_sectors(replay->image, done, damage, &state);
        } else if (roll(&state) % 2 == 0) {
            apply(replay->image, done);
        }
    }
    uint64_t hash = 0;
    for (int file = 0; file < disk->file_count; file++)
        hash = content_hash(&replay->image[file], hash);
    return hash;
}

void fault_replay_write(fault_replay *replay) {
    char memory[4096];
    for (int file = 0; file < replay->disk->file_count; file++) {
        const char *name = replay->disk->names[file];
        content_store(&replay->image[file], name);
        /* Shared memory does not survive a machine. */
        snprintf(memory, sizeof memory, "%s-shm", name);
        unlink(memory);
    }
}
