#ifndef PEER_ARENA_H
#define PEER_ARENA_H
#include <stddef.h>
#include <stdint.h>

/* Memory that is given back all at once: what a page, a request or a batch needs. */

struct arena_block;

typedef struct {
    struct arena_block *first, *now;
    size_t used;
} arena;

/* Memory in units of 16 bytes. Without memory the program ends, saying so. */
void *arena_take(arena *a, size_t count);

/* Gives everything back, and keeps the blocks for the next page. */
void arena_reset(arena *a);
void arena_free(arena *a);

#endif
