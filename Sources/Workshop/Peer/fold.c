#include "engine.h"
#include <stdlib.h>

static void bind_id(sqlite3_stmt *statement, int place, peer_id id, uint8_t bytes[16]) {
    id_store(bytes, id);
    sqlite3_bind_blob(statement, place, bytes, 16, SQLITE_STATIC);
}

/* Steps of one entity stay as they came. */
static int step_order(const void *a, const void *b) {
    const step *left = a, *right = b;
    int order = id_order(left->entity, right->entity);
    return order != 0 ? order : left->order - right->order;
}

/* In the order of the table. */
static int meal_order(const void *a, const void *b) {
    const changed_meal *left = a, *right = b;
    if (left->new.day != right->new.day) return left->new.day < right->new.day ? -1 : 1;
    return id_order(left->id, right->id);
}

/* Sorts only what did not come in order. */
static void sort(void *items, int count, size_t each, int (*order)(const void *, const void *)) {
    const char *item = items;
    for (int i = 1; i < count; i++, item += each) {
        if (order(item, item + each) < 0) continue;
        qsort(items, (size_t)count, each, order);
        return;
    }
}

/* One search of the stored entities, which goes along with ids that come in order. */
typedef struct {
    sqlite3_stmt *rows;
    peer_id at;
    int is_open, has_row;
    uint8_t from[16];
} walk;

static int walk_step(macrolog_peer *peer, walk *w) {
    int code = sqlite3_step(w->rows);
    w->has_row = code == SQLITE_ROW && sqlite3_column_bytes(w->rows, 0) == 16;
    w->at = w->has_row ? id_load(sqlite3_column_blob(w->rows, 0)) : (peer_id){UINT64_MAX, UINT64_MAX};
    return w->has_row || code == SQLITE_DONE ? 0 : peer_fail_sqlite(peer);
}

/* The stored state of an entity: no bytes where there is none. They are copied, because the row ends. */
static int walk_to(macrolog_peer *peer, walk *w, peer_id id, slice *packed) {
    enum { STEPS = 4 };  // Beyond as many entities a new search is cheaper.
    *packed = (slice){NULL, 0};
    for (int i = 0; i < STEPS && w->is_open && id_order(w->at, id) < 0; i++) {
        if (walk_step(peer, w) < 0) return -1;
    }
    if (!w->is_open || id_order(w->at, id) < 0) {
        sqlite3_reset(w->rows);
        bind_id(w->rows, 1, id, w->from);
        w->is_open = 1;
        if (walk_step(peer, w) < 0) return -1;
    }
    if (!w->has_row || !id_equal(w->at, id)) return 0;
    slice found = column_slice(w->rows, 1);
    uint8_t *copy = arena_take(&peer->memory, found.count);
    memcpy(copy, found.bytes, found.count);
    *packed = (slice){copy, found.count};
    return 0;
}

/* Stores that an event touched an entity whose state does not name it any more. */
static int note_touch(macrolog_peer *peer, const step *s, const stamp *by, const state *new) {
    for (int i = 0; i < new->stamp_count; i++) {
        if (new->stamps[i]->seq == by->seq && id_equal(new->stamps[i]->device, by->device)) return 0;
    }
    const device *found = peer_device(peer, by->device);
    if (found == NULL) return 0;
    sqlite3_stmt *insert = peer->statements[INSERT_TOUCH];
    uint8_t bytes[16];
    bind_id(insert, 1, s->entity, bytes);
    sqlite3_bind_int64(insert, 2, dot_number(found->key, by->seq));
    return peer_run(peer, INSERT_TOUCH);
}

static int store_state(macrolog_peer *peer, peer_id id, slice packed, int is_new) {
    int which = is_new ? INSERT_STATE : REPLACE_STATE;
    uint8_t bytes[16];
    bind_id(peer->statements[which], 1, id, bytes);
    sqlite3_bind_blob(peer->statements[which], 2, packed.bytes, (int)packed.count, SQLITE_STATIC);
    return peer_run(peer, which);
}

static int store_conflict(macrolog_peer *peer, peer_id id, int was_in_conflict, int is_in_conflict) {
    if (was_in_conflict == is_in_conflict) return 0;
    int which = is_in_conflict ? INSERT_CONFLICT : DELETE_CONFLICT;
    uint8_t bytes[16];
    bind_id(peer->statements[which], 1, id, bytes);
    return peer_run(peer, which);
}

static int note_meal(macrolog_peer *peer, peer_id id, const meal *old, const state *s) {
    changed_meal changed = {.id = id, .old = *old};
    if (!meal_read(s, &changed.new)) {
        return peer_fail(peer, "a meal has a field that this engine does not know, or a value beyond its bounds");
    }
    if (meal_equal(old, &changed.new)) return 0;
    peer->meals = peer_grown(peer->meals, peer->meal_count, &peer->meal_room, sizeof changed);
    peer->meals[peer->meal_count++] = changed;
    return 0;
}

/* Folds the steps of one entity into its state: read once, packed once, written once. */
static int fold_entity(macrolog_peer *peer, const step *steps, int count, slice packed) {
    state s = {.cells = NULL};
    meal old = {.has_day = 0};
    int is_new = packed.bytes == NULL, was_in_conflict = 0;
    if (!is_new) {
        if (!state_unpack(&s, packed, &peer->memory) || !meal_read(&s, &old)) {
            return peer_fail(peer, "the state of a meal is damaged, or more than this engine knows");
        }
        was_in_conflict = state_conflicts(&s) > 0;
    }
    stamp **before = s.stamps;
    int before_count = s.stamp_count;
    for (int i = 0; i < count; i++) {
        if (steps[i].fields == NULL) {
            state_seal(&s, steps[i].by);
        } else {
            state_set(&s, steps[i].fields, steps[i].count, steps[i].by, &peer->memory);
        }
    }
    slice new = state_pack(&s, &peer->memory);
    for (int i = 0; i < before_count; i++) {
        if (note_touch(peer, steps, before[i], &s) < 0) return -1;
    }
    for (int i = 0; i < count && (!is_new || count > 1); i++) {
        if (steps[i].fields != NULL && note_touch(peer, steps, steps[i].by, &s) < 0) return -1;
    }
    if (!is_new && item_equal(new, packed)) return 0;
    if (store_state(peer, steps->entity, new, is_new) < 0) return -1;
    if (store_conflict(peer, steps->entity, was_in_conflict, state_conflicts(&s) > 0) < 0) return -1;
    return note_meal(peer, steps->entity, &old, &s);
}

/* Writes what the changed meals add to their days. */
static int flush_meals(macrolog_peer *peer) {
    if (peer->meal_count == 0) return 0;
    int code = sqlite3_step(peer->statements[HAS_ITEMS]);
    sqlite3_reset(peer->statements[HAS_ITEMS]);
    if (code != SQLITE_DONE) return code == SQLITE_ROW ? peer_fail(peer, "a meal has items") : peer_fail_sqlite(peer);
    sort(peer->meals, peer->meal_count, sizeof *peer->meals, meal_order);
    for (int i = 0; i < peer->meal_count; i++) {
        const changed_meal *m = &peer->meals[i];
        uint8_t id[16], totals[TOTALS_BYTES_MAX];
        if (m->old.has_day && (!m->new.has_day || m->old.day != m->new.day)) {
            sqlite3_bind_int64(peer->statements[DELETE_MEAL], 1, m->old.day);
            bind_id(peer->statements[DELETE_MEAL], 2, m->id, id);
            if (peer_run(peer, DELETE_MEAL) < 0) return -1;
        }
        if (!m->new.has_day) continue;
        int which = m->old.has_day && m->old.day == m->new.day ? REPLACE_MEAL : INSERT_MEAL;
        sqlite3_bind_int64(peer->statements[which], 1, m->new.day);
        bind_id(peer->statements[which], 2, m->id, id);
        sqlite3_bind_blob(peer->statements[which], 3, totals, (int)meal_totals(&m->new, totals), SQLITE_STATIC);
        if (peer_run(peer, which) < 0) return -1;
    }
    peer->meal_count = 0;
    return 0;
}

/* How many of the steps, from the first on, are of the same entity. */
static int steps_of_first(const step *steps, int count) {
    int same = 1;
    while (same < count && id_equal(steps[same].entity, steps->entity)) same++;
    return same;
}

/* Reads all states before one is written: a write would make the search begin again. */
static int read_states(macrolog_peer *peer, slice *packed) {
    walk w = {.rows = peer->statements[FIND_STATES]};
    int code = 0;
    for (int first = 0; first < peer->step_count && code == 0; packed++) {
        const step *steps = &peer->steps[first];
        code = walk_to(peer, &w, steps->entity, packed);
        first += steps_of_first(steps, peer->step_count - first);
    }
    sqlite3_reset(w.rows);
    return code;
}

int fold_flush(macrolog_peer *peer) {
    sort(peer->steps, peer->step_count, sizeof *peer->steps, step_order);
    slice *packed = arena_take(&peer->memory, (size_t)peer->step_count * sizeof *packed);
    if (read_states(peer, packed) < 0) return -1;
    for (int first = 0; first < peer->step_count; packed++) {
        const step *steps = &peer->steps[first];
        int count = steps_of_first(steps, peer->step_count - first);
        if (packed->bytes == NULL && steps->fields == NULL) return peer_fail(peer, "an event was never folded");
        if (fold_entity(peer, steps, count, *packed) < 0) return -1;
        first += count;
    }
    peer->step_count = 0;
    return flush_meals(peer);
}
