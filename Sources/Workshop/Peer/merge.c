#include "merge.h"

/* Whether the device of `b` had seen `a` when it recorded `b` (protocol.md §4). */
static int happened_before(const stamp *a, const stamp *b) {
    if (id_equal(a->device, b->device)) return a->seq < b->seq;
    return a->n > 0 && a->n <= b->base;
}

static int same_dot(const stamp *a, const stamp *b) { return a->seq == b->seq && id_equal(a->device, b->device); }

static int dot_order(const stamp *a, const stamp *b) {
    int order = id_order(a->device, b->device);
    return order != 0 ? order : a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Sealed ones by number, then the others by dot. */
static int stamp_precedes(const stamp *a, const stamp *b) {
    if (a->n != b->n) return a->n > 0 && (b->n == 0 || a->n < b->n);
    if (a->t != b->t) return a->t < b->t;
    int order = dot_order(a, b);
    if (order != 0) return order < 0;
    return a->epoch == b->epoch ? a->base < b->base : a->epoch < b->epoch;
}

/* The later sealed time wins; an unsealed write is later than all sealed ones. */
static int wins(const stamp *a, const stamp *b) {
    if ((a->n > 0) != (b->n > 0)) return a->n == 0;
    if (a->n > 0) return a->t == b->t ? dot_order(b, a) < 0 : b->t < a->t;
    return a->seq == b->seq ? dot_order(b, a) < 0 : b->seq < a->seq;
}

static int read_stamps(reader *r, state *s, arena *memory) {
    s->stamp_count = read_count(r, MAJOR_ARRAY, UINT64_MAX);
    stamp *stamps = arena_take(memory, (size_t)s->stamp_count * sizeof *stamps);
    s->stamps = arena_take(memory, (size_t)s->stamp_count * sizeof *s->stamps);
    for (int i = 0; i < s->stamp_count && !r->failed; i++) {
        int count = read_count(r, MAJOR_ARRAY, 6);
        if (count != 4 && count != 6) reader_fail(r);
        stamp *found = &stamps[i];
        *found = (stamp){.device = read_id(r), .seq = read_int(r, 1, INT64_MAX)};
        found->epoch = read_int(r, 0, UINT32_MAX);
        found->base = read_int(r, 0, INT64_MAX);
        if (count == 6) {
            found->n = read_int(r, 1, INT64_MAX);
            found->t = read_int(r, 1, INT64_MAX);
        }
        if (i > 0 && !stamp_precedes(found - 1, found)) reader_fail(r);
        s->stamps[i] = found;
    }
    return !r->failed;
}

int state_unpack(state *s, slice packed, arena *memory) {
    reader r = reader_of(packed);
    if (read_count(&r, MAJOR_ARRAY, 2) != 2 || !read_stamps(&r, s, memory)) return 0;
    s->count = read_count(&r, MAJOR_ARRAY, UINT64_MAX);
    s->room = s->count + 2;
    s->cells = arena_take(memory, (size_t)s->room * sizeof *s->cells);
    for (int i = 0; i < s->count && !r.failed; i++) {
        int items = read_count(&r, MAJOR_ARRAY, UINT64_MAX);
        if (items < 3 || items % 2 == 0) reader_fail(&r);
        cell *c = &s->cells[i];
        *c = (cell){read_text(&r, 64), arena_take(memory, (size_t)(items / 2) * sizeof(write)), items / 2};
        if (i > 0 && !r.failed && item_order(c[-1].name, c->name) >= 0) reader_fail(&r);
        int64_t last = -1;
        for (int j = 0; j < c->count && !r.failed; j++) {
            last = read_int(&r, last + 1, s->stamp_count - 1);
            slice value = read_value(&r, 1);
            if (!r.failed) c->writes[j] = (write){s->stamps[last], value};
        }
    }
    return !r.failed && r.at == r.end;
}

static void sort_writes(cell *c) {
    for (int i = 1; i < c->count; i++) {
        write moved = c->writes[i];
        int j = i;
        for (; j > 0 && stamp_precedes(moved.stamp, c->writes[j - 1].stamp); j--) c->writes[j] = c->writes[j - 1];
        c->writes[j] = moved;
    }
}

static void cell_write(cell *c, write added, arena *memory) {
    for (int i = 0; i < c->count; i++) {
        const stamp *other = c->writes[i].stamp;
        if (same_dot(other, added.stamp) || happened_before(added.stamp, other)) return;
    }
    int kept = 0;
    for (int i = 0; i < c->count; i++) {
        if (!happened_before(c->writes[i].stamp, added.stamp)) c->writes[kept++] = c->writes[i];
    }
    if (kept == c->count) {
        write *writes = arena_take(memory, (size_t)(kept + 1) * sizeof *writes);
        memcpy(writes, c->writes, (size_t)kept * sizeof *writes);
        c->writes = writes;
    }
    c->writes[kept] = added;
    c->count = kept + 1;
    sort_writes(c);
}

void state_set(state *s, const field *fields, int count, stamp *by, arena *memory) {
    if (s->room < s->count + count) {
        cell *cells = arena_take(memory, (size_t)(s->count + count) * sizeof *cells);
        if (s->count > 0) memcpy(cells, s->cells, (size_t)s->count * sizeof *cells);
        s->cells = cells;
        s->room = s->count + count;
    }
    write *writes = arena_take(memory, (size_t)count * sizeof *writes);
    int at = 0;  // Both lists are in order: one pass.
    for (int i = 0; i < count; i++) {
        int order = 1;
        while (at < s->count && (order = item_order(s->cells[at].name, fields[i].name)) < 0) at++;
        write added = {by, fields[i].value};
        if (at < s->count && order == 0) {
            cell_write(&s->cells[at], added, memory);
        } else {
            memmove(&s->cells[at + 1], &s->cells[at], (size_t)(s->count - at) * sizeof *s->cells);
            writes[i] = added;
            s->cells[at] = (cell){fields[i].name, &writes[i], 1};
            s->count++;
        }
        at++;
    }
}

void state_seal(state *s, const stamp *sealed) {
    for (int i = 0; i < s->stamp_count; i++) {
        if (!same_dot(s->stamps[i], sealed)) continue;
        s->stamps[i]->n = sealed->n;
        s->stamps[i]->t = sealed->t;
    }
    // No write was seen by another that is already here: what had seen this event has a later number.
    for (int i = 0; i < s->count; i++) sort_writes(&s->cells[i]);
}

/* Collects the stamps of all writes, each once, in their order. Returns the bytes that packing may need. */
static size_t collect_stamps(state *s, arena *memory) {
    size_t bytes = 32;
    int most = 0;
    for (int i = 0; i < s->count; i++) most += s->cells[i].count;
    s->stamps = arena_take(memory, (size_t)most * sizeof *s->stamps);
    s->stamp_count = 0;
    for (int i = 0; i < s->count; i++) {
        cell *c = &s->cells[i];
        bytes += 9 + c->name.count;
        for (int j = 0; j < c->count; j++) {
            bytes += 9 + c->writes[j].value.count;
            int at = s->stamp_count;
            while (at > 0 && s->stamps[at - 1] != c->writes[j].stamp) at--;
            if (at > 0) continue;
            for (at = s->stamp_count; at > 0 && stamp_precedes(c->writes[j].stamp, s->stamps[at - 1]); at--) {
                s->stamps[at] = s->stamps[at - 1];
            }
            s->stamps[at] = c->writes[j].stamp;
            s->stamp_count++;
        }
    }
    return bytes + (size_t)s->stamp_count * 64;
}

slice state_pack(state *s, arena *memory) {
    uint8_t *packed = arena_take(memory, collect_stamps(s, memory));
    uint8_t *to = write_head(packed, MAJOR_ARRAY, 2);
    to = write_head(to, MAJOR_ARRAY, (uint64_t)s->stamp_count);
    for (int i = 0; i < s->stamp_count; i++) {
        stamp *written = s->stamps[i];
        written->place = i;
        to = write_head(to, MAJOR_ARRAY, written->n > 0 ? 6 : 4);
        to = write_id(to, written->device);
        to = write_int(to, written->seq);
        to = write_int(to, written->epoch);
        to = write_int(to, written->base);
        if (written->n > 0) to = write_int(write_int(to, written->n), written->t);
    }
    to = write_head(to, MAJOR_ARRAY, (uint64_t)s->count);
    for (int i = 0; i < s->count; i++) {
        const cell *c = &s->cells[i];
        to = write_head(to, MAJOR_ARRAY, (uint64_t)(1 + 2 * c->count));
        to = write_slice(to, c->name);
        for (int j = 0; j < c->count; j++) {
            to = write_slice(write_int(to, c->writes[j].stamp->place), c->writes[j].value);
        }
    }
    return (slice){packed, (size_t)(to - packed)};
}

const write *cell_winner(const cell *c) {
    const write *winner = &c->writes[0];
    for (int i = 1; i < c->count; i++) {
        if (wins(c->writes[i].stamp, winner->stamp)) winner = &c->writes[i];
    }
    return winner;
}

int state_conflicts(const state *s) {
    int conflicts = 0;
    for (int i = 0; i < s->count; i++) {
        const cell *c = &s->cells[i];
        if (c->count < 2) continue;
        int is_sealed = 1, differs = 0;
        for (int j = 0; j < c->count; j++) {
            is_sealed &= c->writes[j].stamp->n > 0;
            differs |= !item_equal(c->writes[j].value, c->writes[0].value);
        }
        conflicts += is_sealed && differs;
    }
    return conflicts;
}
