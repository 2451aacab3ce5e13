#include "engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

static const char *const sql[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [INSERT_EVENT] = "INSERT INTO event (dot, body) VALUES (?, ?)",
    [INSERT_SEAL] = "INSERT INTO seal (n, t, dot, digest) VALUES (?, ?, ?, ?)",
    [INSERT_DEVICE] = "INSERT INTO device (id) VALUES (?)",
    [ADOPT_EPOCH] = "UPDATE replica SET epoch = ?",
    [FORGET_CLOCKS] = "DELETE FROM clock WHERE seq < (SELECT max(seq) FROM clock)",
    [FIND_STATES] = "SELECT id, state FROM entity WHERE id >= ? AND kind = 'meal' ORDER BY id",
    [INSERT_STATE] = "INSERT INTO entity (id, kind, state) VALUES (?, 'meal', ?)",
    [REPLACE_STATE] = "REPLACE INTO entity (id, kind, state) VALUES (?, 'meal', ?)",
    [INSERT_TOUCH] = "INSERT OR IGNORE INTO touch (id, kind, dot) VALUES (?, 'meal', ?)",
    [INSERT_CONFLICT] = "INSERT OR IGNORE INTO conflict (id, kind) VALUES (?, 'meal')",
    [DELETE_CONFLICT] = "DELETE FROM conflict WHERE id = ? AND kind = 'meal'",
    [HAS_ITEMS] = "SELECT 1 FROM meal_item LIMIT 1",
    [INSERT_MEAL] = "INSERT INTO meal (day, id, slot, consumed, totals) VALUES (?, ?, '', 0, ?)",
    [REPLACE_MEAL] = "REPLACE INTO meal (day, id, slot, consumed, totals) VALUES (?, ?, '', 0, ?)",
    [DELETE_MEAL] = "DELETE FROM meal WHERE day = ? AND id = ?",
    [OWN_EVENTS] = "SELECT dot, body, hash FROM event WHERE dot > ? AND dot < ? ORDER BY dot LIMIT ?",
    [SEALED_EVENTS] =
        "SELECT n, t, body, device.id, event.dot FROM seal JOIN event ON event.dot = seal.dot "
        "JOIN device ON device.key = event.dot >> 40 WHERE n > ? ORDER BY n LIMIT ?",
    [CLOCKS] = "SELECT seq, boot, offset FROM clock ORDER BY seq",
    [CONFLICTS] =
        "SELECT state FROM conflict JOIN entity ON entity.id = conflict.id AND entity.kind = conflict.kind "
        "ORDER BY entity.id, entity.kind",
};

/* The same durability as ours, and the same checkpoints: of 4,000 pages, by a commit. */
static const char settings[] =
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864;";

int peer_fail(macrolog_peer *peer, const char *error) {
    if (peer->error == NULL) peer->error = error;
    return -1;
}

int peer_fail_sqlite(macrolog_peer *peer) { return peer_fail(peer, sqlite3_errmsg(peer->db)); }

int peer_run(macrolog_peer *peer, int which) {
    int code = sqlite3_step(peer->statements[which]);
    sqlite3_reset(peer->statements[which]);
    return code == SQLITE_DONE ? 0 : peer_fail_sqlite(peer);
}

void *peer_grown(void *items, int count, int *room, size_t each) {
    if (count < *room) return items;
    *room = *room == 0 ? 512 : *room * 2;
    items = realloc(items, (size_t)*room * each);
    if (items != NULL) return items;
    fputs("The C engine has no memory left. Close other programs, and try again.\n", stderr);
    exit(EX_OSERR);
}

device *peer_device(macrolog_peer *peer, peer_id id) {
    if (peer->device_last < peer->device_count && id_equal(peer->devices[peer->device_last].id, id)) {
        return &peer->devices[peer->device_last];
    }
    for (int i = 0; i < peer->device_count; i++) {
        if (!id_equal(peer->devices[i].id, id)) continue;
        peer->device_last = i;
        return &peer->devices[i];
    }
    return NULL;
}

device *peer_add_device(macrolog_peer *peer, peer_id id, int64_t key) {
    int room = peer->device_count;  // A device is rare: one place more each time.
    device *devices = realloc(peer->devices, (size_t)(room + 1) * sizeof *devices);
    if (devices == NULL) return NULL;
    peer->devices = devices;
    devices[peer->device_count] = (device){id, key, 0};
    return &devices[peer->device_count++];
}

/* One number, or the one given where there is none. */
static int64_t number(macrolog_peer *peer, const char *query, int64_t none) {
    sqlite3_stmt *statement = NULL;
    int64_t found = none;
    if (sqlite3_prepare_v2(peer->db, query, -1, &statement, NULL) == SQLITE_OK) {
        int code = sqlite3_step(statement);
        if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
            found = sqlite3_column_int64(statement, 0);
        }
        if (code != SQLITE_ROW && code != SQLITE_DONE) peer_fail_sqlite(peer);
    } else {
        peer_fail_sqlite(peer);
    }
    sqlite3_finalize(statement);
    return found;
}

static void load_devices(macrolog_peer *peer) {
    sqlite3_stmt *rows = NULL;
    static const char query[] =
        "SELECT key, id, (SELECT max(dot) & 0xFFFFFFFFFF FROM seal WHERE dot BETWEEN key << 40 AND (key + 1 << 40) - 1)"
        " FROM device ORDER BY key";
    if (sqlite3_prepare_v2(peer->db, query, -1, &rows, NULL) != SQLITE_OK) {
        peer_fail_sqlite(peer);
        return;
    }
    while (sqlite3_step(rows) == SQLITE_ROW) {
        slice bytes = column_slice(rows, 1);
        if (bytes.count != 16 || peer_device(peer, id_load(bytes.bytes)) != NULL) {
            peer_fail(peer, "a device of the file has two keys, or no id");
            break;
        }
        device *added = peer_add_device(peer, id_load(bytes.bytes), sqlite3_column_int64(rows, 0));
        if (added == NULL) {
            peer_fail(peer, "no memory");
            break;
        }
        added->last_sealed = sqlite3_column_int64(rows, 2);
    }
    sqlite3_finalize(rows);
}

static void load_log(macrolog_peer *peer) {
    load_devices(peer);
    peer->own_key = number(peer, "SELECT device FROM replica WHERE next IS NULL AND fork IS NULL", 0);
    peer->epoch = number(peer, "SELECT epoch FROM replica", 0);
    peer->cursor = number(peer, "SELECT max(n) FROM seal", 0);
    int64_t others = number(
        peer, "SELECT (SELECT count(*) FROM void) + (SELECT count(*) FROM orphan) + (SELECT count(*) FROM reissue)", 0);
    if (peer->error != NULL) return;
    if (others > 0 || peer->own_key == 0) {
        peer_fail(peer, "the file recovers from something, which this engine cannot");
        return;
    }
    for (int i = 0; i < peer->device_count; i++) {
        if (peer->devices[i].key != peer->own_key) continue;
        peer->own = peer->devices[i].id;
        peer->sealed_seq = peer->devices[i].last_sealed;
    }
    char query[128];
    snprintf(query, sizeof query, "SELECT max(dot) & 0xFFFFFFFFFF FROM event WHERE dot BETWEEN %lld << 40 AND (%lld << 40) - 1",
        (long long)peer->own_key, (long long)peer->own_key + 1);
    peer->last_seq = number(peer, query, 0);
    sqlite3_stmt *tip = NULL;
    if (sqlite3_prepare_v2(peer->db, "SELECT digest FROM seal ORDER BY n DESC LIMIT 1", -1, &tip, NULL) == SQLITE_OK
        && sqlite3_step(tip) == SQLITE_ROW && sqlite3_column_bytes(tip, 0) == 16) {
        peer->digest = id_load(sqlite3_column_blob(tip, 0));
    }
    sqlite3_finalize(tip);
}

macrolog_peer *macrolog_peer_open(const char *path) {
    macrolog_peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) return NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &peer->db, flags, NULL) != SQLITE_OK
        || sqlite3_exec(peer->db, settings, NULL, NULL, NULL) != SQLITE_OK) {
        peer_fail_sqlite(peer);
        return peer;
    }
    for (int i = 0; i < STATEMENTS; i++) {
        if (sqlite3_prepare_v3(peer->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &peer->statements[i], NULL) != SQLITE_OK) {
            peer_fail_sqlite(peer);
            return peer;
        }
    }
    load_log(peer);
    return peer;
}

void macrolog_peer_close(macrolog_peer *peer) {
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(peer->statements[i]);
    sqlite3_close(peer->db);
    arena_free(&peer->memory);
    free(peer->devices);
    free(peer->steps);
    free(peer->meals);
    free(peer);
}

const char *macrolog_peer_error(const macrolog_peer *peer) { return peer->error; }
int64_t macrolog_peer_cursor(const macrolog_peer *peer) { return peer->cursor; }
int64_t macrolog_peer_unsealed(const macrolog_peer *peer) { return peer->last_seq - peer->sealed_seq; }

/* Takes over the row that is the next of the log. */
static int append_seal(macrolog_peer *peer, const uint8_t hash[32], int64_t t, int64_t dot) {
    sqlite3_stmt *insert = peer->statements[INSERT_SEAL];
    uint8_t bytes[16];
    digest_add(&peer->digest, hash, ++peer->cursor, t);
    id_store(bytes, peer->digest);
    sqlite3_bind_int64(insert, 1, peer->cursor);
    sqlite3_bind_int64(insert, 2, t);
    sqlite3_bind_int64(insert, 3, dot);
    sqlite3_bind_blob(insert, 4, bytes, 16, SQLITE_STATIC);
    return peer_run(peer, INSERT_SEAL);
}

static int take_event(macrolog_peer *peer, const page_row *row) {
    device *from = peer_device(peer, row->by->device);
    if (from == NULL) {
        uint8_t bytes[16];
        id_store(bytes, row->by->device);
        sqlite3_bind_blob(peer->statements[INSERT_DEVICE], 1, bytes, 16, SQLITE_STATIC);
        if (peer_run(peer, INSERT_DEVICE) < 0) return -1;
        from = peer_add_device(peer, row->by->device, sqlite3_last_insert_rowid(peer->db));
        if (from == NULL) return peer_fail(peer, "no memory");
    }
    if (from->key == peer->own_key) return peer_fail(peer, "the page has an own event with its bytes");
    if (row->by->seq != from->last_sealed + 1 || row->by->seq >= (int64_t)1 << 40) return peer_fail(peer, "an event is missing");
    if (row->by->base > peer->cursor) return peer_fail(peer, "an event has seen itself");
    row->by->n = peer->cursor + 1;
    if (event_add(peer, row->tail, row->pairs, row->by, 0) < 0) return -1;
    from->last_sealed = row->by->seq;
    int64_t dot = dot_number(from->key, row->by->seq);
    sqlite3_bind_int64(peer->statements[INSERT_EVENT], 1, dot);
    sqlite3_bind_blob(peer->statements[INSERT_EVENT], 2, row->body.bytes, (int)row->body.count, SQLITE_STATIC);
    if (peer_run(peer, INSERT_EVENT) < 0) return -1;
    uint8_t hash[32];
    sha256(row->body, hash);
    return append_seal(peer, hash, row->t, dot);
}

/* Seals the next own event, to which `rows` is opened when the first one comes. */
static int seal_own(macrolog_peer *peer, const page_row *row, int *is_open) {
    sqlite3_stmt *rows = peer->statements[OWN_EVENTS];
    if (row->own_seq != peer->sealed_seq + 1) return peer_fail(peer, "a seal of an own event is missing");
    if (!*is_open) {
        sqlite3_bind_int64(rows, 1, dot_number(peer->own_key, peer->sealed_seq));
        sqlite3_bind_int64(rows, 2, dot_number(peer->own_key + 1, 0));
        sqlite3_bind_int64(rows, 3, -1);
        *is_open = 1;
    }
    int64_t dot = dot_number(peer->own_key, row->own_seq);
    if (sqlite3_step(rows) != SQLITE_ROW || sqlite3_column_int64(rows, 0) != dot) {
        return peer_fail(peer, "the server seals an own event that the file does not hold");
    }
    slice body = column_slice(rows, 1);
    uint8_t hash[32];
    sha256(body, hash);
    stamp *by = arena_take(&peer->memory, sizeof *by);
    *by = (stamp){.device = peer->own, .seq = row->own_seq, .n = peer->cursor + 1, .t = row->t};
    if (!is_as_recorded(rows, 2, hash)) return peer_fail(peer, "an own event is damaged");
    if (event_add_stored(peer, body, by, 1) < 0) return -1;
    if (by->base >= by->n) return peer_fail(peer, "an event has seen itself");
    peer->sealed_seq = row->own_seq;
    return append_seal(peer, hash, row->t, dot);
}

static int take_rows(macrolog_peer *peer, const page *p) {
    if (p->epoch != peer->epoch) {
        if (peer->epoch != 0) return peer_fail(peer, "the server's log is another one");
        sqlite3_bind_int64(peer->statements[ADOPT_EPOCH], 1, p->epoch);
        if (peer_run(peer, ADOPT_EPOCH) < 0) return -1;
        peer->epoch = p->epoch;
    }
    if (p->admitted > peer->last_seq) return peer_fail(peer, "the server has more own events than the file");
    if (p->head < peer->cursor + p->count) return peer_fail(peer, "the page goes beyond the server's log");
    int is_open = 0;
    for (int i = 0; i < p->count; i++) {
        const page_row *row = &p->rows[i];
        if ((row->own_seq > 0 ? seal_own(peer, row, &is_open) : take_event(peer, row)) < 0) break;
    }
    sqlite3_reset(peer->statements[OWN_EVENTS]);
    if (peer->error != NULL) return -1;
    if (!id_equal(peer->digest, p->digest)) return peer_fail(peer, "the page's digest is not that of its events");
    if (fold_flush(peer) < 0) return -1;
    peer->admitted = p->admitted;
    return peer->last_seq == peer->sealed_seq ? peer_run(peer, FORGET_CLOCKS) : 0;
}

/* Runs a body as one durable transaction. */
static int transaction(macrolog_peer *peer, int (*body)(macrolog_peer *, const void *), const void *with) {
    if (peer_run(peer, BEGIN) < 0) return -1;
    if (body(peer, with) == 0 && peer_run(peer, COMMIT) == 0) return 0;
    sqlite3_step(peer->statements[ROLLBACK]);  // The first error is the one to report.
    sqlite3_reset(peer->statements[ROLLBACK]);
    return -1;
}

static int take_page(macrolog_peer *peer, const void *p) { return take_rows(peer, p); }

int macrolog_peer_take(macrolog_peer *peer, const uint8_t *answer, size_t count) {
    page p;
    if (peer->error != NULL) return -1;
    arena_reset(&peer->memory);
    if (!page_read(&p, (slice){answer, count}, &peer->memory)) return peer_fail(peer, "the answer is malformed");
    return transaction(peer, take_page, &p);
}

int macrolog_peer_conflicts(macrolog_peer *peer, int64_t *count) {
    sqlite3_stmt *rows = peer->statements[CONFLICTS];
    int code;
    *count = 0;
    if (peer->error != NULL) return -1;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        state s;
        arena_reset(&peer->memory);
        if (!state_unpack(&s, column_slice(rows, 0), &peer->memory)) return peer_fail(peer, "the state of a meal is damaged");
        *count += state_conflicts(&s) > 0;
    }
    sqlite3_reset(rows);
    return code == SQLITE_DONE ? 0 : peer_fail_sqlite(peer);
}

/* Adds an event of the file, copied: the steps of a batch refer to its bytes. */
static int add_copy(macrolog_peer *peer, slice body, stamp by) {
    uint8_t *copy = arena_take(&peer->memory, body.count);
    stamp *kept = arena_take(&peer->memory, sizeof *kept);
    memcpy(copy, body.bytes, body.count);
    *kept = by;
    return event_add_stored(peer, (slice){copy, body.count}, kept, 0);
}

enum { BATCH = 10000 };

static int read_sealed(macrolog_peer *peer, int64_t *n) {
    sqlite3_stmt *rows = peer->statements[SEALED_EVENTS];
    int code;
    sqlite3_bind_int64(rows, 1, *n);
    sqlite3_bind_int64(rows, 2, BATCH);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        slice device_id = column_slice(rows, 3);
        if (sqlite3_column_int64(rows, 0) != *n + 1 || device_id.count != 16) return peer_fail(peer, "a sealed event is missing");
        stamp by = {.device = id_load(device_id.bytes), .seq = sqlite3_column_int64(rows, 4) & 0xffffffffff,
            .n = ++*n, .t = sqlite3_column_int64(rows, 1)};
        if (add_copy(peer, column_slice(rows, 2), by) < 0) return -1;
    }
    sqlite3_reset(rows);
    return code == SQLITE_DONE ? 0 : peer_fail_sqlite(peer);
}

static int read_unsealed(macrolog_peer *peer, int64_t *seq) {
    sqlite3_stmt *rows = peer->statements[OWN_EVENTS];
    int code;
    sqlite3_bind_int64(rows, 1, dot_number(peer->own_key, *seq));
    sqlite3_bind_int64(rows, 2, dot_number(peer->own_key + 1, 0));
    sqlite3_bind_int64(rows, 3, BATCH);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        slice body = column_slice(rows, 1);
        uint8_t hash[32];
        sha256(body, hash);
        if (!is_as_recorded(rows, 2, hash)) return peer_fail(peer, "an own event is damaged");
        *seq = sqlite3_column_int64(rows, 0) & 0xffffffffff;
        if (add_copy(peer, body, (stamp){.device = peer->own, .seq = *seq}) < 0) return -1;
    }
    sqlite3_reset(rows);
    return code == SQLITE_DONE ? 0 : peer_fail_sqlite(peer);
}

static int rebuild(macrolog_peer *peer, const void *none) {
    static const char empty[] =
        "DELETE FROM entity; DELETE FROM touch; DELETE FROM conflict; DELETE FROM meal; DELETE FROM quarantine;";
    (void)none;
    if (sqlite3_exec(peer->db, empty, NULL, NULL, NULL) != SQLITE_OK) return peer_fail_sqlite(peer);
    for (int64_t n = 0; n < peer->cursor;) {
        arena_reset(&peer->memory);
        if (read_sealed(peer, &n) < 0 || fold_flush(peer) < 0) return -1;
    }
    for (int64_t seq = peer->sealed_seq; seq < peer->last_seq;) {
        arena_reset(&peer->memory);
        if (read_unsealed(peer, &seq) < 0 || fold_flush(peer) < 0) return -1;
    }
    return 0;
}

int macrolog_peer_rebuild(macrolog_peer *peer) { return peer->error != NULL ? -1 : transaction(peer, rebuild, NULL); }
