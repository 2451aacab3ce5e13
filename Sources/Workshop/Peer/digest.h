#ifndef PEER_DIGEST_H
#define PEER_DIGEST_H
#include "cbor.h"

/* SHA-256 (FIPS 180-4). */
void sha256(slice message, uint8_t hash[32]);

/* p(n) from p(n - 1) (protocol.md §6.2). */
void digest_add(peer_id *digest, const uint8_t hash[32], int64_t n, int64_t t);

#endif
