#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills `length_bytes` (a multiple of 8) with what belongs at `offset_bytes` (a multiple of 8) of a device under `seed`:
 * incompressible, and a function of seed and position alone. The formula is in PROTOCOL.md. */
void pattern_fill(void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed);

/* Whether the buffer holds what belongs to one place under `seed`, and to which: the fill undone. */
bool pattern_find(const void *buffer, size_t length_bytes, uint64_t seed, uint64_t *offset_bytes);

#endif
