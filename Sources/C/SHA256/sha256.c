// SHA-256 (FIPS 180-4) by the instructions that processors have for it: SHA-NI on x86-64, the cryptographic
// extension on 64-bit ARM. Swift has no names for them; everywhere else MacrologWire computes by itself.
#include "sha256.h"

#if defined(__x86_64__) || defined(__aarch64__)
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// The instructions keep the words as (a b e f) and (c d g h), the first in the highest place.
__attribute__((target("sha,sse4.1,ssse3")))
static void add(uint32_t state[8], const uint8_t *bytes, size_t count) {
    const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, badc, 0xf0);
    for (; count > 0; count--, bytes += 64) {
        __m128i before[2] = {abef, cdgh}, words[4];
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {  // Four rounds each; words[i & 3] are those of four rounds.
            __m128i next;
            if (i < 4) {
                next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), reversed);
            } else {
                __m128i older = _mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]);
                __m128i middle = _mm_alignr_epi8(words[(i + 3) & 3], words[(i + 2) & 3], 4);
                next = _mm_sha256msg2_epu32(_mm_add_epi32(older, middle), words[(i + 3) & 3]);
            }
            words[i & 3] = next;
            next = _mm_add_epi32(next, _mm_load_si128((const __m128i *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, next);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(next, 0x0e));
        }
        abef = _mm_add_epi32(abef, before[0]);
        cdgh = _mm_add_epi32(cdgh, before[1]);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int is_there(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
static int is_there(void) { return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0; }
#else
static int is_there(void) { return 1; }  // Every 64-bit processor of Apple's.
#endif

__attribute__((target("sha2")))
static void add(uint32_t state[8], const uint8_t *bytes, size_t count) {
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
    for (; count > 0; count--, bytes += 64) {
        uint32x4_t before[2] = {abcd, efgh}, words[4];
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {
            uint32x4_t next;
            if (i < 4) {
                next = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * i)));
            } else {
                next = vsha256su0q_u32(words[i & 3], words[(i + 1) & 3]);
                next = vsha256su1q_u32(next, words[(i + 2) & 3], words[(i + 3) & 3]);
            }
            words[i & 3] = next;
            next = vaddq_u32(next, vld1q_u32(constants + 4 * i));
            uint32x4_t old = abcd;
            abcd = vsha256hq_u32(abcd, efgh, next);
            efgh = vsha256h2q_u32(efgh, old, next);
        }
        abcd = vaddq_u32(abcd, before[0]);
        efgh = vaddq_u32(efgh, before[1]);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

#else
static int is_there(void) { return 0; }
static void add(uint32_t state[8], const uint8_t *bytes, size_t count) {}
#endif

int macrolog_sha256_add(uint32_t state[8], const uint8_t *blocks, size_t count) {
    static _Atomic int known = -1;  // Asking takes longer than hashing where the machine is a virtual one.
    int answer = known;
    if (answer < 0) known = answer = is_there();
    if (answer) add(state, blocks, count);
    return answer;
}
