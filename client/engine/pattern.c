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

/* Undoes `mix`: every step of it is one to one, and the multipliers are the inverse ones modulo 2^64. */
static uint64_t unmix(uint64_t z)
{
	z = (z ^ (z >> 31) ^ (z >> 62)) * UINT64_C(0x319642b2d24d8ec3);
	z = (z ^ (z >> 27) ^ (z >> 54)) * UINT64_C(0x96de1b173f119089);
	return z ^ (z >> 30) ^ (z >> 60);
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

bool pattern_find(const void *buffer, size_t length_bytes, uint64_t seed, uint64_t *offset_bytes)
{
	const uint64_t *words = buffer;
	uint64_t place = (unmix(le64toh(words[0])) - mix(seed)) * UINT64_C(0xf1de83e19937733d); /* 1 / GOLDEN */
	uint64_t state = mix(seed) + (place - 1) * GOLDEN;

	for (size_t i = 0; i < length_bytes / 8; i++) {
		state += GOLDEN;
		if (le64toh(words[i]) != mix(state))
			return false;
	}
	*offset_bytes = (place - 1) * 8;
	return place - 1 < UINT64_MAX / 8;
}
