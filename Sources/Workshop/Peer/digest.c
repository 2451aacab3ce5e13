#include "digest.h"
#include <sha256.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

/* Where the processor has no instructions for it. */
static void add_plainly(uint32_t state[8], const uint8_t *bytes, size_t count) {
    for (; count > 0; count--, bytes += 64) {
        uint32_t w[64], s[8];
        for (int i = 0; i < 16; i++) {
            memcpy(&w[i], bytes + 4 * i, 4);
            w[i] = __builtin_bswap32(w[i]);
        }
        for (int i = 16; i < 64; i++) {
            uint32_t early = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t late = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + early + w[i - 7] + late;
        }
        memcpy(s, state, sizeof s);
        for (int i = 0; i < 64; i++) {
            uint32_t first = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25))
                + (s[6] ^ (s[4] & (s[5] ^ s[6]))) + constants[i] + w[i];
            uint32_t second = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22))
                + ((s[0] & s[1]) | (s[2] & (s[0] | s[1])));
            memmove(s + 1, s, 28);
            s[4] += first;
            s[0] = first + second;
        }
        for (int i = 0; i < 8; i++) state[i] += s[i];
    }
}

static void add(uint32_t state[8], const uint8_t *bytes, size_t count) {
    if (!macrolog_sha256_add(state, bytes, count)) add_plainly(state, bytes, count);
}

void sha256(slice message, uint8_t hash[32]) {
    uint32_t state[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t rest = message.count % 64;
    uint8_t tail[128] = {0};
    if (message.count >= 64) add(state, message.bytes, message.count / 64);
    if (rest > 0) memcpy(tail, message.bytes + message.count - rest, rest);
    tail[rest] = 0x80;
    size_t end = rest < 56 ? 64 : 128;
    store_big(tail + end - 8, (uint64_t)message.count * 8);
    add(state, tail, end / 64);
    for (int i = 0; i < 8; i++) {
        uint32_t word = __builtin_bswap32(state[i]);
        memcpy(hash + 4 * i, &word, 4);
    }
}

void digest_add(peer_id *digest, const uint8_t hash[32], int64_t n, int64_t t) {
    uint8_t row[48], summand[32];
    memcpy(row, hash, 32);
    store_big(row + 32, (uint64_t)n);
    store_big(row + 40, (uint64_t)t);
    sha256((slice){row, sizeof row}, summand);
    peer_id added = id_load(summand);
    uint64_t low = digest->low + added.low;
    digest->high += added.high + (low < added.low);
    digest->low = low;
}
