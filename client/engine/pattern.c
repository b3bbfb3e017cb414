#include "pattern.h"

#include <endian.h>
#include <string.h>

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

/* Output function of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Inverts `mix`: each of its steps is invertible, and these multipliers are the inverses of its modulo 2^64. */
static uint64_t unmix(uint64_t z)
{
	z = (z ^ (z >> 31) ^ (z >> 62)) * UINT64_C(0x319642b2d24d8ec3);
	z = (z ^ (z >> 27) ^ (z >> 54)) * UINT64_C(0x96de1b173f119089);
	return z ^ (z >> 30) ^ (z >> 60);
}

void pattern_fill_pool(void *pool)
{
	uint64_t *words = pool;

	for (uint64_t i = 0; i < POOL_BYTES / sizeof *words; i++)
		words[i] = htole64(mix((i + 1) * GOLDEN));
}

/* Sets the first word of each sector. Writing one of its eight cache lines is quicker than writing all. */
static void stamp(void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed)
{
	uint64_t *words = buffer, state = mix(seed) + offset_bytes / SECTOR_BYTES * GOLDEN;

	for (size_t i = 0; i < length_bytes / sizeof *words; i += SECTOR_BYTES / sizeof *words) {
		state += GOLDEN;
		words[i] = htole64(mix(state));
	}
}

const void *pattern_take(void *pool, void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed)
{
	uint64_t place = offset_bytes % POOL_BYTES;
	void *source = (unsigned char *)pool + place;

	if (length_bytes > POOL_BYTES - place) {
		pattern_copy(pool, buffer, length_bytes, offset_bytes, seed);
		return buffer;
	}
	stamp(source, length_bytes, offset_bytes, seed);
	return source;
}

void pattern_copy(const void *pool, void *buffer, size_t length_bytes, uint64_t offset_bytes, uint64_t seed)
{
	unsigned char *target = buffer;

	for (size_t done = 0, part; done < length_bytes; done += part) {
		size_t place = (size_t)((offset_bytes + done) % POOL_BYTES);

		part = length_bytes - done < POOL_BYTES - place ? length_bytes - done : POOL_BYTES - place;
		memcpy(target + done, (const unsigned char *)pool + place, part);
	}
	stamp(buffer, length_bytes, offset_bytes, seed);
}

uint64_t pattern_sum(const void *buffer, size_t length_bytes)
{
	const uint64_t *words = buffer;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length_bytes / sizeof *words; i++)
		sum = (sum ^ le64toh(words[i])) * UINT64_C(0x100000001b3);
	return sum;
}

bool pattern_find(const void *pool, const void *buffer, size_t length_bytes, uint64_t seed, uint64_t *offset_bytes)
{
	const unsigned char *found = buffer;
	unsigned char expected[SECTOR_BYTES];
	uint64_t first, sector;

	memcpy(&first, found, sizeof first);
	sector = (unmix(le64toh(first)) - mix(seed)) * UINT64_C(0xf1de83e19937733d) - 1; /* 1 / GOLDEN modulo 2^64 */
	if (sector > (UINT64_MAX - length_bytes) / SECTOR_BYTES)
		return false;
	*offset_bytes = sector * SECTOR_BYTES;
	for (size_t done = 0; done < length_bytes; done += SECTOR_BYTES) {
		pattern_copy(pool, expected, SECTOR_BYTES, *offset_bytes + done, seed);
		if (memcmp(found + done, expected, SECTOR_BYTES) != 0)
			return false;
	}
	return true;
}
