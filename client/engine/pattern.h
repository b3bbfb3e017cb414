#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data to write: a function of seed and position only, incompressible, no two sectors alike. PROTOCOL.md has the
 * formula. A sector is a part of the pool, by its position, but begins with a word of its own, the stamp. */
enum { SECTOR_BYTES = 512, POOL_BYTES = 4 * 1024 * 1024 };

/* Fills the pool of POOL_BYTES, from which sectors are taken without their stamps. */
void pattern_fill_pool(void *pool);

/* Returns the data for `offset_bytes` and `seed`: stamped inside the pool, or, if the data is not contiguous there,
 * composed in `buffer`. Length and offset are multiples of SECTOR_BYTES. */
const void *pattern_take(void *pool, void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed);

/* Composes the same data in `buffer`, where later calls of pattern_take do not change it. */
void pattern_copy(const void *pool, void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed);

/* Returns a checksum of any data: FNV-1a over words of 64 bits. */
uint64_t pattern_sum(const void *buffer, size_t length_bytes);

/* Returns whether the buffer holds data that was written with `seed`, and from its stamp the offset of that write. */
bool pattern_find(const void *pool, const void *buffer, size_t length_bytes, uint64_t seed, uint64_t *offset_bytes);

#endif
