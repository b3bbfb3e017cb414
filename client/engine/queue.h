#ifndef QUEUE_H
#define QUEUE_H

#include "device.h"

enum { MAX_QUEUE_DEPTH = 64 };

/* CHECK and SUM read data, and their result is its position or its checksum instead of a time. */
enum verb { READ, WRITE, CHECK, SUM };

/* Transfers of the same kind and length at several offsets. */
struct transfers {
	enum verb verb;
	uint64_t length_bytes;
	uint64_t seed; /* of the data: to write, or written before and verified */
	int sync_flag; /* that of device_write */
	size_t count;
	const uint64_t *offsets_bytes;
	uint64_t *answers; /* results in the order of the offsets; a time is in ns, from submission to completion */
};

/* Replaces the time of a transfer, after its data was read into `buffer`, by the result of CHECK or SUM. */
void transfers_look(const struct device *device, const struct transfers *transfers, size_t number, const void *buffer);

/* Returns the most transfers in progress at once: MAX_QUEUE_DEPTH if the kernel has io_uring, else 1. */
unsigned queue_deepest(void);

/* Keeps `depth` transfers in progress until all are done. The device's buffer must hold `depth` times the length.
 * Returns 0 and the time from the first submission to the last completion, or -errno and the failed transfer. */
int queue_run(struct device *device, const struct transfers *transfers, unsigned depth, uint64_t *elapsed_ns,
              size_t *failed);

#endif
