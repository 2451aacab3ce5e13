#include "engine.h"

enum { CHANGES_MAX = 64, FIELDS_MAX = 64, NAME_BYTES = 64 };

int64_t event_header(reader *r, stamp *by) {
    int64_t pairs = read_count(r, MAJOR_MAP, 64);
    read_key(r, 0);
    by->device = read_id(r);
    read_key(r, 1);
    by->seq = read_int(r, 1, INT64_MAX);
    read_key(r, 2);
    if (read_count(r, MAJOR_ARRAY, 2) != 2) reader_fail(r);
    by->epoch = read_int(r, 0, UINT32_MAX);
    by->base = read_int(r, 0, INT64_MAX);
    if (by->epoch == 0 && by->base != 0) reader_fail(r);
    read_key(r, 3);
    return pairs;
}

/* Reads [kind, id, {fields}]. */
static int read_change(macrolog_peer *peer, reader *r, step *s) {
    static const slice meals = {(const uint8_t *)"\x64" "meal", 5};
    int items = read_count(r, MAJOR_ARRAY, 66);
    slice kind = read_text(r, NAME_BYTES);
    s->entity = read_id(r);
    if (r->failed || items < 3) return peer_fail(peer, "an event is malformed");
    if (items != 3 || next_major(r) != MAJOR_MAP || !item_equal(kind, meals)) {
        return peer_fail(peer, "an event does something else than setting fields of meals");
    }
    s->count = read_count(r, MAJOR_MAP, FIELDS_MAX);
    if (s->count == 0) reader_fail(r);
    field *fields = arena_take(&peer->memory, (size_t)s->count * sizeof *fields);
    for (int i = 0; i < s->count; i++) {
        fields[i].name = read_text(r, NAME_BYTES);
        fields[i].value = read_value(r, 5);
        if (r->failed) return peer_fail(peer, "an event is malformed");
        if (i > 0 && item_order(fields[i - 1].name, fields[i].name) >= 0) return peer_fail(peer, "an event is malformed");
    }
    s->fields = fields;
    return r->failed ? peer_fail(peer, "an event is malformed") : 0;
}

int event_add(macrolog_peer *peer, slice tail, int64_t pairs, stamp *by, int is_seal) {
    reader r = reader_of(tail);
    if (pairs < 7 || pairs > 8) return peer_fail(peer, "an event is a skeleton, reissued, or newer than this engine");
    read_key(&r, 4);
    read_text(&r, NAME_BYTES);
    read_key(&r, 5);
    read_int(&r, 1, INT64_MAX);
    read_key(&r, 6);
    int changes = read_count(&r, MAJOR_ARRAY, CHANGES_MAX), first = peer->step_count;
    if (changes == 0) reader_fail(&r);
    for (int i = 0; i < changes && !r.failed; i++) {
        step s = {.order = peer->step_count, .by = by};
        if (read_change(peer, &r, &s) < 0) return -1;
        for (int j = first; j < peer->step_count; j++) {
            if (id_equal(peer->steps[j].entity, s.entity)) reader_fail(&r);
        }
        if (is_seal) s.fields = NULL;
        peer->steps = peer_grown(peer->steps, peer->step_count, &peer->step_room, sizeof s);
        peer->steps[peer->step_count++] = s;
    }
    if (pairs == 8) {
        read_key(&r, 7);
        read_id(&r);
    }
    return r.failed || r.at != r.end ? peer_fail(peer, "an event is malformed") : 0;
}

int event_add_stored(macrolog_peer *peer, slice body, stamp *by, int is_seal) {
    stamp named = *by;
    reader r = reader_of(body);
    int64_t pairs = event_header(&r, &named);
    read_int(&r, INT64_MIN, INT64_MAX);
    if (r.failed || named.seq != by->seq || !id_equal(named.device, by->device)) {
        return peer_fail(peer, "an event of the file is damaged");
    }
    *by = named;
    return event_add(peer, (slice){r.at, (size_t)(r.end - r.at)}, pairs, by, is_seal);
}

int is_as_recorded(sqlite3_stmt *row, int column, const uint8_t hash[32]) {
    return sqlite3_column_type(row, column) == SQLITE_NULL
        || (uint64_t)sqlite3_column_int64(row, column) == load_big(hash);
}
