#include "pattern.h"

#include <endian.h>

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

/* Output function of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void pattern_fill(void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed)
{
	uint64_t *words = buffer;
	uint64_t state = mix(seed) + (offset_bytes / 8) * GOLDEN;

	for (size_t i = 0; i < length_bytes / 8; i++) {
		state += GOLDEN;
		words[i] = htole64(mix(state));
	}
}
