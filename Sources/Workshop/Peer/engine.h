#ifndef PEER_ENGINE_H
#define PEER_ENGINE_H
#include "digest.h"
#include "meal.h"
#include "peer.h"
#include <sqlite3.h>

/* Statements, prepared once; their text is in peer.c. */
enum {
    BEGIN, COMMIT, ROLLBACK,
    INSERT_EVENT, INSERT_SEAL, INSERT_DEVICE, ADOPT_EPOCH, FORGET_CLOCKS,
    FIND_STATES, INSERT_STATE, REPLACE_STATE, INSERT_TOUCH, INSERT_CONFLICT, DELETE_CONFLICT,
    HAS_ITEMS, INSERT_MEAL, REPLACE_MEAL, DELETE_MEAL,
    OWN_EVENTS, SEALED_EVENTS, CLOCKS, CONFLICTS,
    STATEMENTS
};

typedef struct {
    peer_id id;
    int64_t key, last_sealed;
} device;

/* A change of a meal, or the seal of one that was folded before. */
typedef struct {
    peer_id entity;
    int order, count;
    const field *fields; /* NULL: a seal */
    stamp *by;
} step;

typedef struct {
    peer_id id;
    meal old, new;
} changed_meal;

struct macrolog_peer {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    const char *error;
    arena memory;

    device *devices;
    int device_count, device_last; /* the one found last */
    peer_id own;
    int64_t own_key, last_seq, sealed_seq, admitted; /* admitted: as the last answer said */
    int64_t epoch, cursor;
    peer_id digest;

    step *steps;
    int step_count, step_room;
    changed_meal *meals;
    int meal_count, meal_room;
};

/* Keeps the first error, and returns -1. */
int peer_fail(macrolog_peer *peer, const char *error);
int peer_fail_sqlite(macrolog_peer *peer);

/* Runs a statement that returns no row. */
int peer_run(macrolog_peer *peer, int which);

/* An array with room for one more; the same, or a larger one. */
void *peer_grown(void *items, int count, int *room, size_t each);

/* The device of an id; NULL for one that is not known. */
device *peer_device(macrolog_peer *peer, peer_id id);
device *peer_add_device(macrolog_peer *peer, peer_id id, int64_t key);

static inline int64_t dot_number(int64_t key, int64_t seq) { return key << 40 | seq; }

static inline slice column_slice(sqlite3_stmt *row, int column) {
    const uint8_t *bytes = sqlite3_column_blob(row, column);
    return (slice){bytes, (size_t)sqlite3_column_bytes(row, column)};
}

/* A row of a page: another device's event, or the seq of an own one. */
typedef struct {
    int64_t t;
    int64_t own_seq; /* 0: an event */
    stamp *by;       /* of the event */
    slice body;
    int64_t pairs;
    slice tail; /* what follows the header */
} page_row;

typedef struct {
    int64_t epoch, head, admitted;
    peer_id digest;
    page_row *rows;
    int count;
} page;

/* Decodes an answer (protocol.md §6.1). Returns 0 for bytes that are none. */
int page_read(page *p, slice answer, arena *memory);

/* Reads the header of an event; returns how many pairs its map has. */
int64_t event_header(reader *r, stamp *by);

/* Reads what follows the header, and adds a step for each of its changes; as seals of an event that was folded
   before when `is_seal`. */
int event_add(macrolog_peer *peer, slice tail, int64_t pairs, stamp *by, int is_seal);

/* Reads a whole event of the file. */
int event_add_stored(macrolog_peer *peer, slice body, stamp *by, int is_seal);

/* Folds the steps, entity by entity, and writes what follows from them. */
int fold_flush(macrolog_peer *peer);

/* Whether an own event is as it was recorded: the first eight bytes of its hash. */
int is_as_recorded(sqlite3_stmt *row, int column, const uint8_t hash[32]);

#endif
