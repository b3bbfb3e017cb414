#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "pattern.h"

/* A huge page: one large transfer then needs one segment, and fast devices are not held up by the buffer. */
enum { BUFFER_ALIGNMENT_BYTES = 2 * 1024 * 1024, SMALLEST_BLOCK_BYTES = 512 };

static uint64_t elapsed_ns(const struct timespec *begin, const struct timespec *end)
{
	int64_t seconds = (int64_t)end->tv_sec - (int64_t)begin->tv_sec;
	int64_t nanoseconds = (int64_t)end->tv_nsec - (int64_t)begin->tv_nsec;

	return (uint64_t)(seconds * INT64_C(1000000000) + nanoseconds);
}

void device_init(struct device *device)
{
	*device = (struct device){.fd = -1};
}

/* Looks before opening: opening a pipe would wait, opening a tape would wind it. */
static int refuse_other_kinds(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	return S_ISBLK(status.st_mode) || S_ISREG(status.st_mode) ? 0 : -ENOTSUP;
}

static int open_descriptor(const char *path, struct device_mode mode, bool *direct, int *fd)
{
	int flags = O_CLOEXEC | O_NOCTTY | (mode.write ? O_RDWR : O_RDONLY);

	if (mode.exclusive || mode.write)
		flags |= O_EXCL; /* without O_CREAT: a mounted block device is -EBUSY; a file does not mind */
	*direct = mode.direct;
	*fd = open(path, flags | (mode.direct ? O_DIRECT : 0));
	if (*fd < 0 && errno == EINVAL && mode.direct) {
		*direct = false;
		*fd = open(path, flags);
	}
	return *fd < 0 ? -errno : 0;
}

static int measure_block_device(struct device *device)
{
	int logical_block_bytes = 0;

	if (ioctl(device->fd, BLKGETSIZE64, &device->size_bytes) || ioctl(device->fd, BLKSSZGET, &logical_block_bytes))
		return -errno;
	device->logical_block_bytes = (uint64_t)logical_block_bytes;
	return 0;
}

/* The smallest direct transfer of a file is that of the disk below, which kernels since 6.1 tell. */
static uint64_t file_block_bytes(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx status;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) && (status.stx_mask & STATX_DIOALIGN) &&
	    status.stx_dio_offset_align > SMALLEST_BLOCK_BYTES)
		return status.stx_dio_offset_align;
#else
	(void)fd;
#endif
	return SMALLEST_BLOCK_BYTES;
}

static int measure_size(struct device *device)
{
	struct stat status;

	if (fstat(device->fd, &status))
		return -errno;
	device->is_block = S_ISBLK(status.st_mode);
	if (device->is_block)
		return measure_block_device(device);
	device->size_bytes = (uint64_t)status.st_size;
	device->logical_block_bytes = file_block_bytes(device->fd);
	return S_ISREG(status.st_mode) ? 0 : -ENOTSUP;
}

int device_open(struct device *device, const char *path, struct device_mode mode)
{
	int status = refuse_other_kinds(path);

	if (status)
		return status;
	status = open_descriptor(path, mode, &device->direct, &device->fd);
	if (status)
		goto failed;
	status = measure_size(device);
	if (status)
		goto opened;
	device->writable = mode.write;
	return 0;

opened:
	close(device->fd);
failed:
	device->fd = -1;
	return status;
}

void device_close(struct device *device)
{
	if (device->fd >= 0)
		close(device->fd);
	device->fd = -1;
}

void device_free(struct device *device)
{
	device_close(device);
	free(device->buffer);
	free(device->pool);
	device_init(device);
}

int device_check(const struct device *device, uint64_t length_bytes, uint64_t offset_bytes)
{
	if (length_bytes > MAX_TRANSFER_BYTES)
		return -E2BIG;
	if (!length_bytes || length_bytes % device->logical_block_bytes || offset_bytes % device->logical_block_bytes)
		return -EINVAL;
	if (offset_bytes > device->size_bytes || length_bytes > device->size_bytes - offset_bytes)
		return -ERANGE;
	return 0;
}

/* A hint; without huge pages the transfers are only slower. Zeros, so that no page fault is timed. */
static void *make_buffer(size_t length_bytes)
{
	void *buffer;

	if (posix_memalign(&buffer, BUFFER_ALIGNMENT_BYTES, length_bytes))
		return NULL;
	(void)madvise(buffer, length_bytes, MADV_HUGEPAGE);
	return memset(buffer, 0, length_bytes);
}

static int grow_buffer(struct device *device, size_t length_bytes)
{
	size_t rounded_bytes = (length_bytes + BUFFER_ALIGNMENT_BYTES - 1) / BUFFER_ALIGNMENT_BYTES * BUFFER_ALIGNMENT_BYTES;
	void *buffer;

	if (length_bytes <= device->buffer_bytes)
		return 0;
	buffer = make_buffer(rounded_bytes);
	if (!buffer)
		return -ENOMEM;
	free(device->buffer);
	device->buffer = buffer;
	device->buffer_bytes = rounded_bytes;
	return 0;
}

int device_reserve(struct device *device, size_t length_bytes)
{
	if (!device->pool) {
		device->pool = make_buffer(POOL_BYTES);
		if (!device->pool)
			return -ENOMEM;
		pattern_fill_pool(device->pool);
	}
	return grow_buffer(device, length_bytes);
}

/* A card that was pulled out gives EIO to readers and ENOSPC to writers; its size tells what really happened. */
int device_cause(const struct device *device, int status)
{
	uint64_t size_bytes;

	if (device->is_block && (ioctl(device->fd, BLKGETSIZE64, &size_bytes) || size_bytes != device->size_bytes))
		return -ENODEV;
	return status;
}

/* Between the two readings of the clock stands one system call, in all three functions below. */

int device_read(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t *duration_ns)
{
	struct timespec begin, end;
	ssize_t moved_bytes;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	moved_bytes = pread(device->fd, device->buffer, length_bytes, (off_t)offset_bytes);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (moved_bytes < 0)
		return device_cause(device, -errno);
	*duration_ns = elapsed_ns(&begin, &end);
	return (size_t)moved_bytes == length_bytes ? 0 : device_cause(device, -EIO);
}

int device_write(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t seed,
                 int sync_flag, uint64_t *duration_ns)
{
	const void *data = pattern_take(device->pool, device->buffer, length_bytes, offset_bytes, seed);
	struct iovec piece = {(void *)(uintptr_t)data, length_bytes};
	struct timespec begin, end;
	ssize_t moved_bytes;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	moved_bytes = pwritev2(device->fd, &piece, 1, (off_t)offset_bytes, sync_flag);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (moved_bytes < 0)
		return device_cause(device, -errno);
	*duration_ns = elapsed_ns(&begin, &end);
	return (size_t)moved_bytes == length_bytes ? 0 : device_cause(device, -EIO);
}

int device_sync(struct device *device, uint64_t *duration_ns)
{
	struct timespec begin, end;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	status = fdatasync(device->fd);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (status)
		return device_cause(device, -errno);
	*duration_ns = elapsed_ns(&begin, &end);
	return 0;
}
