#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { MAX_TRANSFER_BYTES = 16 * 1024 * 1024, MAX_UNDER_WAY_BYTES = 2 * MAX_TRANSFER_BYTES };

/* How to open a device. */
struct device_mode {
	bool write;     /* for reading and writing; if false, only for reading */
	bool direct;    /* bypass the page cache, if the file system supports it */
	bool exclusive; /* fail with -EBUSY if the block device is in use; implied by `write` */
};

/* A block device or a regular file. `fd` is -1 while no device is open. */
struct device {
	int fd;
	bool writable;
	bool direct; /* whether the page cache is really bypassed, not whether this was requested */
	bool is_block;
	uint64_t size_bytes;
	uint64_t logical_block_bytes; /* lengths and offsets are multiples of this */
	void *buffer;                 /* aligned, large enough for the largest transfer; allocated when a device is first opened */
	void *pool;                   /* the data of pattern.h, aligned alike */
};

/* The time in ns, from a clock that never steps and that no time server speeds up or slows down. */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

int device_open(struct device *device, const char *path, struct device_mode mode);
void device_close(struct device *device); /* keeps the buffer for the next device */
void device_free(struct device *device);

/* Read or write whole logical blocks inside the device once, and measure the time. A short transfer gives -EIO.
 * `sync_flag` is 0, or RWF_DSYNC or RWF_SYNC to wait until the data is on the device. */
int device_read(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t *duration_ns);
int device_write(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t seed,
                 int sync_flag, uint64_t *duration_ns);
int device_sync(struct device *device, uint64_t *duration_ns);

/* The cause of an operation that failed with `status`: -ENODEV if the device is gone or has been replaced. */
int device_cause(const struct device *device, int status);

#endif
