#include "disk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

void content_free(content *content) {
    free(content->bytes);
    memset(content, 0, sizeof *content);
}

static void reserve(content *content, size_t count) {
    if (count <= content->capacity) return;
    size_t capacity = content->capacity ? content->capacity : 4096;
    while (capacity < count) capacity *= 2;
    content->bytes = realloc(content->bytes, capacity);
    if (!content->bytes) abort();
    content->capacity = capacity;
}

void content_copy(content *to, const content *from) {
    reserve(to, from->count);
    if (from->count) memcpy(to->bytes, from->bytes, from->count);
    to->count = from->count;
    to->exists = from->exists;
}

void content_write(content *content, uint64_t offset, const uint8_t *bytes, size_t count) {
    if (offset + count > content->count) content_truncate(content, offset + count);
    if (count) memcpy(content->bytes + offset, bytes, count);
}

/* Also makes it longer: what was never written reads as zeros. */
void content_truncate(content *content, uint64_t size) {
    reserve(content, size);
    if (size > content->count) memset(content->bytes + content->count, 0, size - content->count);
    content->count = size;
}

void content_load(content *content, const char *path) {
    content->count = 0;
    FILE *file = fopen(path, "rb");
    content->exists = file != NULL;
    if (!file) return;
    for (;;) {
        reserve(content, content->count + 65536);
        size_t count = fread(content->bytes + content->count, 1, 65536, file);
        content->count += count;
        if (count < 65536) break;
    }
    fclose(file);
}

/* A new file each time: whoever had the old one open keeps the old one. */
void content_store(const content *content, const char *path) {
    unlinkat(AT_FDCWD, path, 0);
    if (!content->exists) return;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(content->bytes, 1, content->count, file) != content->count) abort();
    if (fclose(file) != 0) abort();
}

/* Eight bytes at a time, multiplied and mixed: to tell images apart, not to withstand anybody. */
uint64_t content_hash(const content *content, uint64_t hash) {
    hash = (hash ^ (content->exists ? content->count + 1 : 0)) * 0x9E3779B97F4A7C15u;
    size_t place = 0;
    for (; place + 8 <= content->count; place += 8) {
        uint64_t word;
        memcpy(&word, content->bytes + place, 8);
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
    }
    for (; place < content->count; place++) hash = (hash ^ content->bytes[place]) * 0x100000001B3u;
    return hash;
}
