// Zstd
