#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data to write: a function of seed and position alone, incompressible, no two sectors alike. PROTOCOL.md has the
 * formula. All sectors take turns through the pool, and each begins with a stamp of its own. */
enum { SECTOR_BYTES = 512, POOL_BYTES = 4 * 1024 * 1024 };

/* Fills POOL_BYTES with what every sector but for its stamp is taken from. */
void pattern_fill_pool(void *pool);

/* Where the `length_bytes` that belong at `offset_bytes` under `seed` are now: stamped inside the pool, or, where they
 * do not lie there in one piece, put together in `buffer`. Both numbers are multiples of SECTOR_BYTES. */
const void *pattern_take(void *pool, void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed);

/* The same, always in `buffer`, which is not changed by what is taken later. */
void pattern_copy(const void *pool, void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed);

/* A checksum of what was read, whatever it is: FNV-1a over words of 64 bits. */
uint64_t pattern_sum(const void *buffer, size_t length_bytes);

/* Whether the buffer holds what belongs to one place under `seed`, and to which: the stamps undone. */
bool pattern_find(const void *pool, const void *buffer, size_t length_bytes, uint64_t seed, uint64_t *offset_bytes);

#endif
