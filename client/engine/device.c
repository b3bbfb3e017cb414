#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pattern.h"

/* The size of a huge page: a large transfer then needs one segment, so the buffer does not slow down fast devices. */
enum { BUFFER_ALIGNMENT_BYTES = 2 * 1024 * 1024, SMALLEST_BLOCK_BYTES = 512 };

/* The length of a path that opens the file of a handle, even if its old path names another file by now. */
enum { HANDLE_PATH_BYTES = 32 };

static void name_handle(char *path, int handle)
{
	snprintf(path, HANDLE_PATH_BYTES, "/proc/self/fd/%d", handle);
}

/* Checks the kind before the file is opened: opening a pipe would wait, opening a tape would wind it. */
static int refuse_other_kinds(int handle)
{
	struct stat status;

	if (fstat(handle, &status))
		return -errno;
	return S_ISBLK(status.st_mode) || S_ISREG(status.st_mode) ? 0 : -ENOTSUP;
}

static int open_descriptor(struct device *device, const char *path, struct device_mode mode)
{
	int flags = O_CLOEXEC | O_NOCTTY | (mode.write ? O_RDWR : O_RDONLY);

	if (mode.exclusive || mode.write)
		flags |= O_EXCL; /* without O_CREAT: open fails with EBUSY for a mounted block device, and ignores the flag for a file */
	device->writable = mode.write;
	device->direct = mode.direct;
	device->fd = open(path, flags | (mode.direct ? O_DIRECT : 0));
	if (device->fd < 0 && errno == EINVAL && mode.direct) {
		device->direct = false;
		device->fd = open(path, flags);
	}
	return device->fd < 0 ? -errno : 0;
}

/* The smallest direct transfer of a file is that of the disk below it, which kernels since 6.1 report. */
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

static int measure(struct device *device)
{
	struct stat status;
	int logical_block_bytes;

	if (fstat(device->fd, &status))
		return -errno;
	device->is_block = S_ISBLK(status.st_mode);
	if (!device->is_block) {
		device->size_bytes = (uint64_t)status.st_size;
		device->logical_block_bytes = file_block_bytes(device->fd);
		return S_ISREG(status.st_mode) ? 0 : -ENOTSUP;
	}
	if (ioctl(device->fd, BLKGETSIZE64, &device->size_bytes) || ioctl(device->fd, BLKSSZGET, &logical_block_bytes))
		return -errno;
	device->logical_block_bytes = (uint64_t)logical_block_bytes;
	return 0;
}

/* Huge pages are a hint: without them, transfers are only slower. Zeros are written so that no page fault is timed, but
 * only at the beginning: the part that only a deep queue needs takes no memory until there is one. */
static void *make_buffer(size_t length_bytes, size_t touched_bytes)
{
	void *buffer;

	if (posix_memalign(&buffer, BUFFER_ALIGNMENT_BYTES, length_bytes))
		return NULL;
	(void)madvise(buffer, touched_bytes, MADV_HUGEPAGE);
	return memset(buffer, 0, touched_bytes);
}

static int make_buffers(struct device *device)
{
	if (!device->buffer)
		device->buffer = make_buffer(MAX_UNDER_WAY_BYTES, MAX_TRANSFER_BYTES);
	if (!device->pool && (device->pool = make_buffer(POOL_BYTES, POOL_BYTES)))
		pattern_fill_pool(device->pool);
	return device->buffer && device->pool ? 0 : -ENOMEM;
}

int device_open(struct device *device, const char *path, struct device_mode mode)
{
	char known_path[HANDLE_PATH_BYTES];
	int status, handle = open(path, O_PATH | O_CLOEXEC);

	if (handle < 0)
		return -errno;
	name_handle(known_path, handle);
	if ((status = refuse_other_kinds(handle)) || (status = open_descriptor(device, known_path, mode)) ||
	    (status = measure(device)) || (status = make_buffers(device)))
		device_close(device);
	close(handle);
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
}

/* Reading a card that was pulled out gives EIO, and writing to it ENOSPC; its size shows the real cause. */
int device_cause(const struct device *device, int status)
{
	uint64_t size_bytes;

	if (device->is_block && (ioctl(device->fd, BLKGETSIZE64, &size_bytes) || size_bytes != device->size_bytes))
		return -ENODEV;
	return status;
}

static int finished(const struct device *device, ssize_t moved_bytes, size_t length_bytes)
{
	if (moved_bytes < 0)
		return device_cause(device, -errno);
	return (size_t)moved_bytes == length_bytes ? 0 : device_cause(device, -EIO);
}

/* Exactly one system call is timed in each of the three functions below. */

int device_read(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t *duration_ns)
{
	uint64_t begin_ns = now_ns();
	ssize_t moved_bytes = pread(device->fd, device->buffer, length_bytes, (off_t)offset_bytes);

	*duration_ns = now_ns() - begin_ns;
	return finished(device, moved_bytes, length_bytes);
}

int device_write(struct device *device, size_t length_bytes, uint64_t offset_bytes, uint64_t seed,
                 int sync_flag, uint64_t *duration_ns)
{
	const void *data = pattern_take(device->pool, device->buffer, length_bytes, offset_bytes, seed);
	struct iovec piece = {(void *)(uintptr_t)data, length_bytes};
	uint64_t begin_ns = now_ns();
	ssize_t moved_bytes = pwritev2(device->fd, &piece, 1, (off_t)offset_bytes, sync_flag);

	*duration_ns = now_ns() - begin_ns;
	return finished(device, moved_bytes, length_bytes);
}

int device_sync(struct device *device, uint64_t *duration_ns)
{
	uint64_t begin_ns = now_ns();
	int status = fdatasync(device->fd);

	*duration_ns = now_ns() - begin_ns;
	return finished(device, status, 0);
}
