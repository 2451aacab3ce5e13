#ifndef PEER_CBOR_H
#define PEER_CBOR_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Deterministic CBOR (protocol.md §3.1), read where it lies and written where there is room. */

typedef struct {
    const uint8_t *bytes;
    size_t count;
} slice;

/* Sixteen bytes, most significant first. */
typedef struct {
    uint64_t high, low;
} peer_id;

static inline uint64_t load_big(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return __builtin_bswap64(value);
}

static inline void store_big(uint8_t *bytes, uint64_t value) {
    value = __builtin_bswap64(value);
    memcpy(bytes, &value, 8);
}

static inline peer_id id_load(const uint8_t *bytes) { return (peer_id){load_big(bytes), load_big(bytes + 8)}; }

static inline void id_store(uint8_t *bytes, peer_id id) {
    store_big(bytes, id.high);
    store_big(bytes + 8, id.low);
}

static inline int id_equal(peer_id a, peer_id b) { return a.high == b.high && a.low == b.low; }

static inline int id_order(peer_id a, peer_id b) {
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

/* A reader that has met an error stays there: it returns zeros, and `failed` is checked at the end of a part. */
typedef struct {
    const uint8_t *at, *end;
    int failed;
} reader;

enum { MAJOR_UNSIGNED, MAJOR_NEGATIVE, MAJOR_BYTES, MAJOR_TEXT, MAJOR_ARRAY, MAJOR_MAP, MAJOR_SIMPLE = 7 };

static inline reader reader_of(slice bytes) { return (reader){bytes.bytes, bytes.bytes + bytes.count, 0}; }

static inline void reader_fail(reader *r) {
    r->failed = 1;
    r->at = r->end;
}

uint64_t read_long_head(reader *r, int *major);

static inline uint64_t read_head(reader *r, int *major) {
    if (r->at < r->end && (*r->at & 31) < 24 && *r->at < 0xc0) {
        *major = *r->at >> 5;
        return *r->at++ & 31;
    }
    return read_long_head(r, major);
}

static inline int next_major(const reader *r) { return r->at < r->end ? *r->at >> 5 : -1; }

/* A whole number between two others. */
static inline int64_t read_int(reader *r, int64_t least, int64_t greatest) {
    int major;
    uint64_t argument = read_head(r, &major);
    int64_t value = major == MAJOR_NEGATIVE ? ~(int64_t)argument : (int64_t)argument;
    if (major > MAJOR_NEGATIVE || argument > INT64_MAX || value < least || value > greatest) {
        reader_fail(r);
        return least;
    }
    return value;
}

static inline void read_key(reader *r, int64_t key) { read_int(r, key, key); }

/* The head of an array or a map of at most `limit` items. */
static inline int read_count(reader *r, int wanted, uint64_t limit) {
    int major;
    uint64_t count = read_head(r, &major);
    if (major == wanted && count <= limit && count <= (uint64_t)(r->end - r->at)) return (int)count;
    reader_fail(r);
    return 0;
}

/* The content of a byte string of at most `limit` bytes. */
static inline slice read_bytes(reader *r, size_t limit) {
    int major;
    uint64_t count = read_head(r, &major);
    if (major != MAJOR_BYTES || count > limit || count > (uint64_t)(r->end - r->at)) {
        reader_fail(r);
        return (slice){r->end, 0};
    }
    slice found = {r->at, (size_t)count};
    r->at += count;
    return found;
}

static inline peer_id read_id(reader *r) {
    slice bytes = read_bytes(r, 16);
    if (bytes.count == 16) return id_load(bytes.bytes);
    reader_fail(r);
    return (peer_id){0, 0};
}

/* A text of at most `limit` bytes, with its head. */
slice read_text(reader *r, size_t limit);

/* Any value, checked, as it is encoded. `depth` is that of a container found here. */
slice read_value(reader *r, int depth);

/* The order of two encoded items, and whether they are the same: no encoding begins with another. */
static inline int item_order(slice a, slice b) { return memcmp(a.bytes, b.bytes, a.count < b.count ? a.count : b.count); }
static inline int item_equal(slice a, slice b) { return a.count == b.count && memcmp(a.bytes, b.bytes, a.count) == 0; }

/* The writers return the end of what they wrote; the caller has made room: nine bytes for a head. */
static inline uint8_t *write_head(uint8_t *to, int major, uint64_t value) {
    if (value < 24) {
        *to = (uint8_t)(major << 5 | (int)value);
        return to + 1;
    }
    int width = value <= 0xff ? 0 : value <= 0xffff ? 1 : value <= 0xffffffff ? 2 : 3;
    *to++ = (uint8_t)(major << 5 | (24 + width));
    value = __builtin_bswap64(value << (64 - (8 << width)));
    memcpy(to, &value, (size_t)1 << width);
    return to + (1 << width);
}

static inline uint8_t *write_int(uint8_t *to, int64_t value) {
    return value >= 0 ? write_head(to, MAJOR_UNSIGNED, (uint64_t)value) : write_head(to, MAJOR_NEGATIVE, ~(uint64_t)value);
}

static inline uint8_t *write_id(uint8_t *to, peer_id id) {
    *to = 0x50;
    id_store(to + 1, id);
    return to + 17;
}

static inline uint8_t *write_slice(uint8_t *to, slice item) {
    memcpy(to, item.bytes, item.count);
    return to + item.count;
}

#endif
