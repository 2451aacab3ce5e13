#include "disk.h"
#include <string.h>

/* How much of a write-ahead log SQLite sees when it opens it (https://sqlite.org/fileformat2.html,
   4.1 to 4.4): up to the last commit before the first frame whose salts or checksum are not right.
   What lies behind is overwritten before it is ever read. */

static uint32_t big(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Goes on with a checksum over an even number of words, in the order of bytes that the log names. */
static void sum(const uint8_t *bytes, size_t count, int is_big, uint32_t sums[2]) {
    for (size_t place = 0; place < count; place += 8) {
        uint32_t words[2];
        memcpy(words, bytes + place, 8);
        int is_other = is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        sums[0] += (is_other ? __builtin_bswap32(words[0]) : words[0]) + sums[1];
        sums[1] += (is_other ? __builtin_bswap32(words[1]) : words[1]) + sums[0];
    }
}

size_t wal_seen(const content *log) {
    const uint8_t *header = log->bytes;
    if (!log->exists || log->count < 32 || (big(header) & ~1u) != 0x377F0682) return 0;
    int is_big = big(header) & 1;
    uint32_t page = big(header + 8), sums[2] = {0, 0};
    if (page < 512 || page > 65536 || (page & (page - 1)) != 0) return 0;
    sum(header, 24, is_big, sums);
    if (sums[0] != big(header + 24) || sums[1] != big(header + 28)) return 0;
    size_t seen = 32;
    for (size_t place = 32; place + 24 + page <= log->count; place += 24 + page) {
        const uint8_t *frame = log->bytes + place;
        if (memcmp(frame + 8, header + 16, 8) != 0 || big(frame) == 0) break;
        sum(frame, 8, is_big, sums);
        sum(frame + 24, page, is_big, sums);
        if (sums[0] != big(frame + 16) || sums[1] != big(frame + 20)) break;
        if (big(frame + 4) != 0) seen = place + 24 + page;
    }
    return seen;
}
