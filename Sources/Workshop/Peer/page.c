#include "engine.h"

enum { PAGE_EVENTS_MAX = 500, EVENT_BYTES_MAX = 65536 };

/* The columns of a page, each as it is encoded. */
typedef struct {
    int64_t *times, *counters, *headers[6];
    slice *tails; /* no bytes: an own event */
    int64_t *seqs;
    peer_id *devices;
    int rows, events, device_count;
} columns;

static int64_t *read_column(reader *r, int *count, arena *memory) {
    int found = read_count(r, MAJOR_ARRAY, PAGE_EVENTS_MAX);
    if (*count >= 0 && found != *count) reader_fail(r);
    int64_t *values = arena_take(memory, (size_t)found * sizeof *values);
    for (int i = 0; i < found && !r->failed; i++) values[i] = read_int(r, INT64_MIN, INT64_MAX);
    *count = found;
    return values;
}

static int read_columns(reader *r, columns *c, arena *memory) {
    c->rows = -1;
    c->times = read_column(r, &c->rows, memory);
    c->counters = read_column(r, &c->rows, memory);
    if (read_count(r, MAJOR_ARRAY, PAGE_EVENTS_MAX) != c->rows || c->rows == 0) reader_fail(r);
    c->tails = arena_take(memory, (size_t)c->rows * sizeof *c->tails);
    c->seqs = arena_take(memory, (size_t)c->rows * sizeof *c->seqs);
    for (int i = 0; i < c->rows && !r->failed; i++) {
        int is_event = next_major(r) == MAJOR_BYTES;
        c->tails[i] = is_event ? read_bytes(r, EVENT_BYTES_MAX) : (slice){NULL, 0};
        c->seqs[i] = is_event ? 0 : read_int(r, 1, INT64_MAX);
        c->events += is_event;
    }
    c->device_count = read_count(r, MAJOR_ARRAY, PAGE_EVENTS_MAX);
    c->devices = arena_take(memory, (size_t)c->device_count * sizeof *c->devices);
    for (int i = 0; i < c->device_count && !r->failed; i++) {
        c->devices[i] = read_id(r);
        for (int j = 0; j < i; j++) {
            if (id_equal(c->devices[i], c->devices[j])) reader_fail(r);
        }
    }
    for (int i = 0; i < 6; i++) c->headers[i] = read_column(r, &c->events, memory);
    return !r->failed;
}

/* Joins an event's header and tail again. */
static slice joined(const stamp *by, int64_t wall, int64_t pairs, slice tail, arena *memory) {
    uint8_t *body = arena_take(memory, 96 + tail.count);
    uint8_t *to = write_head(body, MAJOR_MAP, (uint64_t)pairs);
    to = write_id(write_int(to, 0), by->device);
    to = write_int(write_int(to, 1), by->seq);
    to = write_head(write_int(to, 2), MAJOR_ARRAY, 2);
    to = write_int(write_int(to, by->epoch), by->base);
    to = write_int(write_int(to, 3), wall);
    to = write_slice(to, tail);
    return (slice){body, (size_t)(to - body)};
}

/* What the differences of a device's events are added to. */
typedef struct {
    uint64_t seq, base, lead;
} track;

/* Sums wrap at 64 bits, so they are computed without signs. */
static int assemble(page *p, const columns *c, arena *memory) {
    track *tracks = arena_take(memory, (size_t)c->device_count * sizeof *tracks);
    stamp *stamps = arena_take(memory, (size_t)c->events * sizeof *stamps);
    uint64_t milliseconds = 0, epoch = 0;
    int known = 0, event = 0;
    p->count = c->rows;
    p->rows = arena_take(memory, (size_t)c->rows * sizeof *p->rows);
    for (int i = 0; i < c->rows; i++) {
        milliseconds += (uint64_t)c->times[i];
        if (c->counters[i] < 0 || c->counters[i] > 0xffff || milliseconds > INT64_MAX >> 16) return 0;
        page_row *row = &p->rows[i];
        *row = (page_row){.t = (int64_t)(milliseconds << 16) | c->counters[i], .own_seq = c->seqs[i]};
        if (row->t == 0) return 0;
        if (row->own_seq > 0) continue;
        int64_t place = c->headers[0][event];
        if (place < 0 || place >= c->device_count || place > known) return 0;
        track *of = &tracks[place];
        if (place == known) {
            *of = (track){0, 0, 0};
            known++;
        }
        of->seq += 1 + (uint64_t)c->headers[1][event];
        epoch += (uint64_t)c->headers[2][event];
        of->base += (uint64_t)c->headers[3][event];
        of->lead += (uint64_t)c->headers[4][event];
        row->pairs = c->headers[5][event];
        if (of->seq - 1 >= INT64_MAX || epoch > UINT32_MAX || of->base > INT64_MAX || (epoch == 0 && of->base > 0)
            || row->pairs < 6 || row->pairs > 64) return 0;
        row->by = &stamps[event];
        *row->by = (stamp){.device = c->devices[place], .seq = (int64_t)of->seq, .epoch = (int64_t)epoch,
            .base = (int64_t)of->base, .t = row->t};
        row->tail = c->tails[i];
        row->body = joined(row->by, (int64_t)(of->lead + milliseconds), row->pairs, row->tail, memory);
        if (row->body.count > EVENT_BYTES_MAX) return 0;
        event++;
    }
    return known == c->device_count;
}

int page_read(page *p, slice answer, arena *memory) {
    reader r = reader_of(answer);
    columns c = {.rows = 0};
    *p = (page){.rows = NULL};
    if (read_count(&r, MAJOR_MAP, 6) != 6) reader_fail(&r);
    read_key(&r, 0);
    p->epoch = read_int(&r, 1, UINT32_MAX);
    read_key(&r, 1);
    p->head = read_int(&r, 0, INT64_MAX);
    read_key(&r, 2);
    p->admitted = read_int(&r, 0, INT64_MAX);
    read_key(&r, 3);
    read_int(&r, INT64_MIN, INT64_MAX);
    read_key(&r, 4);
    int found = read_count(&r, MAJOR_ARRAY, 10);
    if (found != 0 && (found != 10 || !read_columns(&r, &c, memory) || !assemble(p, &c, memory))) return 0;
    read_key(&r, 5);
    p->digest = read_id(&r);
    return !r.failed && r.at == r.end;
}

/* From which own event on the device's clocks lay how far apart, and in which boot (ClockSample.swift). */
typedef struct {
    int64_t seq, offset;
    peer_id boot;
} segment;

/* The next row of the clocks; beyond all events where there is none. */
static segment next_segment(macrolog_peer *peer) {
    sqlite3_stmt *clocks = peer->statements[CLOCKS];
    segment found = {.seq = INT64_MAX};
    int code = sqlite3_step(clocks);
    if (code == SQLITE_ROW && sqlite3_column_bytes(clocks, 1) == 16) {
        return (segment){sqlite3_column_int64(clocks, 0), sqlite3_column_int64(clocks, 2),
            id_load(sqlite3_column_blob(clocks, 1))};
    }
    if (code != SQLITE_DONE) peer_fail(peer, "the file's clocks cannot be read");
    return found;
}

/* Milliseconds since an own event was recorded. */
static int64_t age(const segment *s, int64_t wall, const macrolog_peer_clock *now) {
    if (s->boot.high == UINT64_MAX && s->boot.low == UINT64_MAX) return now->wall - (wall - s->offset);
    int is_same = s->boot.high == now->boot_high && s->boot.low == now->boot_low;
    return is_same ? now->monotonic - (wall - s->offset) : now->wall - wall;
}

typedef struct {
    int64_t age;
    slice body;
} pushed_event;

/* The next own events that the server is not known to have; -1 after an error. */
static int outgoing(macrolog_peer *peer, const macrolog_peer_clock *now, pushed_event *pushed) {
    enum { BYTES_MAX = 262144 };
    sqlite3_stmt *rows = peer->statements[OWN_EVENTS];
    int count = 0, code;
    size_t bytes = 0;
    int64_t known = peer->admitted > peer->sealed_seq ? peer->admitted : peer->sealed_seq;
    if (peer->last_seq <= known) return 0;
    segment clock = {.boot = {UINT64_MAX, 0}}, next = next_segment(peer);  // as long as no clock is known
    sqlite3_bind_int64(rows, 1, dot_number(peer->own_key, known));
    sqlite3_bind_int64(rows, 2, dot_number(peer->own_key + 1, 0));
    sqlite3_bind_int64(rows, 3, PAGE_EVENTS_MAX);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        slice body = column_slice(rows, 1);
        uint8_t hash[32];
        sha256(body, hash);
        if (!is_as_recorded(rows, 2, hash)) return peer_fail(peer, "an own event is damaged");
        bytes += body.count;
        if (count > 0 && bytes > BYTES_MAX) {
            code = SQLITE_DONE;
            break;
        }
        reader r = reader_of(body);
        stamp by = {.n = 0};
        event_header(&r, &by);
        int64_t wall = read_int(&r, INT64_MIN, INT64_MAX);
        if (r.failed) return peer_fail(peer, "an own event is damaged");
        for (; next.seq <= by.seq; next = next_segment(peer)) clock = next;
        uint8_t *copy = arena_take(&peer->memory, body.count);
        memcpy(copy, body.bytes, body.count);
        pushed[count++] = (pushed_event){age(&clock, wall, now), {copy, body.count}};
    }
    sqlite3_reset(rows);
    sqlite3_reset(peer->statements[CLOCKS]);
    if (peer->error != NULL) return -1;
    return code == SQLITE_DONE ? count : peer_fail_sqlite(peer);
}

int macrolog_peer_request(macrolog_peer *peer, const macrolog_peer_clock *now, const uint8_t **bytes, size_t *count) {
    if (peer->error != NULL) return -1;
    arena_reset(&peer->memory);
    pushed_event *pushed = arena_take(&peer->memory, PAGE_EVENTS_MAX * sizeof *pushed);
    int pushes = outgoing(peer, now, pushed);
    if (pushes < 0) return -1;
    size_t room = 128;
    for (int i = 0; i < pushes; i++) room += 24 + pushed[i].body.count;
    uint8_t *request = arena_take(&peer->memory, room);
    uint8_t *to = write_head(request, MAJOR_MAP, 8);
    to = write_int(write_int(to, 0), 1);
    to = write_id(write_int(to, 1), peer->own);
    to = write_int(write_int(to, 2), peer->epoch);
    to = write_int(write_int(to, 3), peer->cursor);
    to = write_id(write_int(to, 4), peer->digest);
    to = write_head(write_int(to, 5), MAJOR_ARRAY, (uint64_t)pushes);
    for (int i = 0; i < pushes; i++) {
        to = write_int(write_head(to, MAJOR_ARRAY, 2), pushed[i].age);
        to = write_slice(write_head(to, MAJOR_BYTES, pushed[i].body.count), pushed[i].body);
    }
    to = write_int(write_int(to, 6), PAGE_EVENTS_MAX);
    to = write_int(write_int(to, 7), 262144);
    *bytes = request;
    *count = (size_t)(to - request);
    return 0;
}
