#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { MAX_TRANSFER_BYTES = 16 * 1024 * 1024, MAX_UNDER_WAY_BYTES = 2 * MAX_TRANSFER_BYTES };

/* How to open a device. */
struct device_mode {
	bool write;     /* for reading and writing; otherwise read-only */
	bool direct;    /* past the page cache, where the file system can */
	bool exclusive; /* fail with -EBUSY when the block device is in use; always so for writing */
};

/* A block device or a regular file. `fd` is -1 while nothing is open. */
struct device {
	int fd;
	bool writable;
	bool direct; /* what was obtained, not what was asked for */
	bool is_block;
	uint64_t size_bytes;
	uint64_t logical_block_bytes; /* lengths and offsets are multiples of it */
	void *buffer;                 /* aligned, for the largest transfer; made with the pool when something is opened */
	void *pool;                   /* of pattern.h, as aligned */
};

/* Of a clock that never steps and that no time server speeds up or slows down. */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

int device_open(struct device *device, const char *path, struct device_mode mode);
void device_close(struct device *device); /* keeps the buffer */
void device_free(struct device *device);

/* One transfer inside the device, of whole logical blocks, and its time. A short transfer is -EIO.
 * `sync_flag` is 0, or RWF_DSYNC or RWF_SYNC: the write waits until it is on the device. */
int device_read(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t *duration_ns);
int device_write(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t seed,
                 int sync_flag, uint64_t *duration_ns);
int device_sync(struct device *device, uint64_t *duration_ns);

/* What an operation that failed with `status` says of the device: -ENODEV when it is gone or another one now. */
int device_cause(const struct device *device, int status);

#endif
