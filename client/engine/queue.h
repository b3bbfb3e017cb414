#ifndef QUEUE_H
#define QUEUE_H

#include "device.h"

enum { MAX_QUEUE_DEPTH = 64 };

/* CHECK and SUM read, and answer a position or a checksum of what was read in place of a time. */
enum verb { READ, WRITE, CHECK, SUM };

/* Transfers of one length. */
struct transfers {
	enum verb verb;
	uint64_t length_bytes;
	uint64_t seed; /* of what is written, now or before */
	int sync_flag; /* as for device_write */
	size_t count;
	const uint64_t *offsets_bytes;
	uint64_t *answers; /* in the order of the offsets; a time is in ns, from submission to completion */
};

/* Replaces the time of a transfer whose data were read into `buffer` by what CHECK or SUM answer. */
void transfers_look(const struct device *device, const struct transfers *transfers, size_t number, const void *buffer);

/* How many transfers may be under way at once: MAX_QUEUE_DEPTH where the kernel has io_uring, else 1. */
unsigned queue_deepest(void);

/* Keeps `depth` transfers under way until all are done. The device's buffer must hold `depth` times the length.
 * 0 and the time from the first submission to the last completion; or -errno and which one failed. */
int queue_run(struct device *device, const struct transfers *transfers, unsigned depth, uint64_t *elapsed_ns,
              size_t *failed);

#endif
