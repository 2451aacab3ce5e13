#include "cbor.h"

enum { DEPTH_MAX = 16, NAME_MAX_BYTES = 64, TEXT_MAX = 16384, ENTRIES_MAX = 64 };

uint64_t read_long_head(reader *r, int *major) {
    *major = MAJOR_SIMPLE;
    if (r->at >= r->end) {
        reader_fail(r);
        return 0;
    }
    uint8_t first = *r->at;
    if (first >= 0xf4 && first <= 0xf6) {
        r->at++;
        return first & 31;
    }
    int low = first & 31;
    if (first >= 0xc0 || low > 27) {
        reader_fail(r);
        return 0;
    }
    int width = 1 << (low - 24);
    if (r->end - r->at <= width) {
        reader_fail(r);
        return 0;
    }
    uint64_t value = 0;
    for (int i = 1; i <= width; i++) value = value << 8 | r->at[i];
    if (value < (width == 1 ? 24 : (uint64_t)1 << width * 4)) {  // not its shortest form
        reader_fail(r);
        return 0;
    }
    r->at += 1 + width;
    *major = first >> 5;
    return value;
}

/* RFC 3629: no overlong form, no surrogate, nothing beyond U+10FFFF. */
static int is_utf8(const uint8_t *at, size_t count) {
    const uint8_t *end = at + count;
    while (end - at >= 8) {
        uint64_t eight;
        memcpy(&eight, at, 8);
        if (eight & 0x8080808080808080) break;
        at += 8;
    }
    while (at < end) {
        uint8_t first = *at++;
        if (first < 0x80) continue;
        int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        if (first < 0xc2 || first > 0xf4 || end - at < more) return 0;
        uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        uint8_t greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (*at < least || *at > greatest) return 0;
        for (int i = 1; i < more; i++) {
            if ((at[i] & 0xc0) != 0x80) return 0;
        }
        at += more;
    }
    return 1;
}

slice read_text(reader *r, size_t limit) {
    const uint8_t *start = r->at;
    int major;
    uint64_t count = read_head(r, &major);
    if (major != MAJOR_TEXT || count > limit || count > (uint64_t)(r->end - r->at) || !is_utf8(r->at, (size_t)count)) {
        reader_fail(r);
        return (slice){r->end, 0};
    }
    r->at += count;
    return (slice){start, (size_t)(r->at - start)};
}

slice read_value(reader *r, int depth) {
    const uint8_t *start = r->at;
    int major = next_major(r), count;
    switch (major) {
    case MAJOR_UNSIGNED:
    case MAJOR_NEGATIVE: read_int(r, INT64_MIN, INT64_MAX); break;
    case MAJOR_BYTES: read_bytes(r, TEXT_MAX); break;
    case MAJOR_TEXT: read_text(r, TEXT_MAX); break;
    case MAJOR_ARRAY:
        count = read_count(r, MAJOR_ARRAY, UINT64_MAX);
        if (depth > DEPTH_MAX) reader_fail(r);
        for (int i = 0; i < count && !r->failed; i++) read_value(r, depth + 1);
        break;
    case MAJOR_MAP: {
        slice last = {NULL, 0};
        count = read_count(r, MAJOR_MAP, ENTRIES_MAX);
        if (depth > DEPTH_MAX) reader_fail(r);
        for (int i = 0; i < count && !r->failed; i++) {
            slice name = read_text(r, NAME_MAX_BYTES);
            if (i > 0 && !r->failed && item_order(last, name) >= 0) reader_fail(r);
            last = name;
            read_value(r, depth + 1);
        }
        break;
    }
    default: read_head(r, &major);
    }
    return r->failed ? (slice){r->end, 0} : (slice){start, (size_t)(r->at - start)};
}
