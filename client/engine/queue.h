#ifndef QUEUE_H
#define QUEUE_H

#include "device.h"

enum { MAX_QUEUE_DEPTH = 64 };

/* Transfers of one length, read or written. */
struct transfers {
	bool write;
	bool verify; /* what is read is looked at, and positions are answered in place of times; not in a queue */
	bool sum;    /* the same, and checksums are answered */
	uint64_t length_bytes;
	uint64_t seed; /* of what is written, now or before */
	int sync_flag; /* as for device_write */
	size_t count;
	const uint64_t *offsets_bytes;
	uint64_t *durations_ns; /* from submission to completion; in the order of the offsets */
};

/* How many transfers may be under way at once: MAX_QUEUE_DEPTH where the kernel has io_uring, else 1. */
unsigned queue_deepest(void);

/* Keeps `depth` transfers under way until all are done. The device's buffer must hold `depth` times the length.
 * 0 and the time from the first submission to the last completion; or -errno and which one failed. */
int queue_run(struct device *device, const struct transfers *transfers, unsigned depth, uint64_t *elapsed_ns,
              size_t *failed);

#endif
