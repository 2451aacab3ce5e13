#ifndef MACROLOG_SHA256_H
#define MACROLOG_SHA256_H
#include <stddef.h>
#include <stdint.h>

/// Adds whole blocks of 64 bytes to the eight words of a SHA-256 by the instructions of the processor.
/// Returns 0, and changes nothing, where the processor has none.
int macrolog_sha256_add(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
