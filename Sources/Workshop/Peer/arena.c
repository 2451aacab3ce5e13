#include "arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

enum { BLOCK_BYTES = 1 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t size;
    _Alignas(16) uint8_t bytes[];
};

static struct arena_block *block_of(size_t size) {
    struct arena_block *block = malloc(sizeof *block + size);
    if (block == NULL) {
        fputs("The C engine has no memory left. Close other programs, and try again.\n", stderr);
        exit(EX_OSERR);
    }
    *block = (struct arena_block){NULL, size};
    return block;
}

void *arena_take(arena *a, size_t count) {
    count = (count + 15) & ~(size_t)15;
    if (a->now == NULL) a->first = a->now = block_of(count > BLOCK_BYTES ? count : BLOCK_BYTES);
    while (a->now->size - a->used < count) {
        if (a->now->next == NULL) a->now->next = block_of(count > BLOCK_BYTES ? count : BLOCK_BYTES);
        a->now = a->now->next;
        a->used = 0;
    }
    void *memory = a->now->bytes + a->used;
    a->used += count;
    return memory;
}

void arena_reset(arena *a) {
    a->now = a->first;
    a->used = 0;
}

void arena_free(arena *a) {
    for (struct arena_block *block = a->first; block != NULL;) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *a = (arena){NULL, NULL, 0};
}
