#ifndef PEER_MERGE_H
#define PEER_MERGE_H
#include "arena.h"
#include "cbor.h"

/* The state of one entity (protocol.md §7.1 to §7.4), packed as Sources/Pure/Wire/EntityStateCoding.swift does. */

/* A dot, what its device had seen, and its seal. */
typedef struct {
    peer_id device;
    int64_t seq, epoch, base;
    int64_t n, t; /* 0: not sealed */
    int place;    /* among the stamps of the state that is packed */
} stamp;

typedef struct {
    stamp *stamp;
    slice value;
} write;

/* A field, and its writes in the order of their stamps: several only if they are concurrent. */
typedef struct {
    slice name;
    write *writes;
    int count;
} cell;

typedef struct {
    slice name, value;
} field;

typedef struct {
    cell *cells; /* in the order of their names */
    int count, room;
    stamp **stamps; /* in their order, each once: since the last `state_unpack` or `state_pack` */
    int stamp_count;
} state;

/* Unpacks a state; returns 0 for bytes that are none. The bytes must outlast the state. */
int state_unpack(state *s, slice packed, arena *memory);

/* Folds what an event sets: fields in the order of their names. */
void state_set(state *s, const field *fields, int count, stamp *by, arena *memory);

/* Sets the seal of an event that was folded before. */
void state_seal(state *s, const stamp *sealed);

slice state_pack(state *s, arena *memory);

/* How many fields have concurrent, sealed writes of different values. */
int state_conflicts(const state *s);

/* The write that everyone is shown. */
const write *cell_winner(const cell *c);

#endif
