/* Preloaded into the engine: writes each call by which it opens, reads, writes or flushes into the file CALLS names.
 * With REFUSE_DIRECT set, opening with O_DIRECT fails as it does on a file system that has none. With REFUSE_ENTER set,
 * the kernel takes only so many submissions to a queue, and refuses the next REFUSALS (or one) with the error REFUSE_WITH
 * (or EBADF). With BUSY_TRANSFERS set, so many queued transfers come back with EAGAIN, as if nothing had been done. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(const char *format, ...)
{
	FILE *file = fopen(getenv("CALLS"), "a");
	va_list values;

	va_start(values, format);
	vfprintf(file, format, values);
	va_end(values);
	fclose(file);
}

int open64(const char *path, int flags, ...)
{
	if (flags & O_PATH) /* looked at, and not opened */
		return NEXT(open64)(path, flags);
	note("open direct=%d excl=%d write=%d\n", !!(flags & O_DIRECT), !!(flags & O_EXCL), !!(flags & O_RDWR));
	if (getenv("REFUSE_DIRECT") && flags & O_DIRECT) {
		errno = EINVAL;
		return -1;
	}
	return NEXT(open64)(path, flags);
}

ssize_t pread64(int fd, void *buffer, size_t length, off64_t offset)
{
	note("pread length=%zu offset=%lld aligned=%d\n", length, (long long)offset, !((unsigned long)buffer % (2 << 20)));
	return NEXT(pread64)(fd, buffer, length, offset);
}

ssize_t pwritev64v2(int fd, const struct iovec *pieces, int count, off64_t offset, int flags)
{
	note("pwritev2 length=%zu offset=%lld flags=%d\n", pieces->iov_len, (long long)offset, flags);
	return NEXT(pwritev64v2)(fd, pieces, count, offset, flags);
}

int fdatasync(int fd)
{
	note("fdatasync\n");
	return NEXT(fdatasync)(fd);
}

static struct io_uring_params layout;
static int entered;

/* What the engine put into the ring, read from a mapping of our own. */
static void note_entries(int fd, unsigned count)
{
	size_t ring_bytes = layout.sq_off.array + layout.sq_entries * sizeof(unsigned);
	size_t entries_bytes = layout.sq_entries * sizeof(struct io_uring_sqe);
	char *ring = mmap(NULL, ring_bytes, PROT_READ, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	struct io_uring_sqe *entries = mmap(NULL, entries_bytes, PROT_READ, MAP_SHARED, fd, IORING_OFF_SQES);
	unsigned tail = *(unsigned *)(ring + layout.sq_off.tail);

	for (unsigned i = tail - count; i != tail; i++) {
		struct io_uring_sqe *entry = &entries[i % layout.sq_entries];

		note("queued %s length=%u offset=%llu flags=%d\n", entry->opcode == IORING_OP_WRITE ? "write" : "read", entry->len,
		     (unsigned long long)entry->off, (int)entry->rw_flags);
	}
	munmap(ring, ring_bytes);
	munmap(entries, entries_bytes);
}

static int number_of(const char *name, int usual)
{
	return getenv(name) ? atoi(getenv(name)) : usual;
}

/* Whether this call is to fail. */
static int is_refused(void)
{
	int before = number_of("REFUSE_ENTER", -1);

	return before >= 0 && entered++ >= before && entered <= before + number_of("REFUSALS", 1);
}

/* The oldest completion that the engine has not seen yet becomes one of a transfer that was put off. */
static void spoil_completion(int fd)
{
	static int spoilt;
	size_t bytes = layout.cq_off.cqes + layout.cq_entries * sizeof(struct io_uring_cqe);
	char *ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	unsigned head = *(unsigned *)(ring + layout.cq_off.head);
	struct io_uring_cqe *all = (struct io_uring_cqe *)(ring + layout.cq_off.cqes);

	if (head != *(unsigned *)(ring + layout.cq_off.tail) && spoilt++ < number_of("BUSY_TRANSFERS", 0))
		all[head % layout.cq_entries].res = -EAGAIN;
	munmap(ring, bytes);
}

long syscall(long number, ...)
{
	long values[6], answer;
	va_list rest;

	va_start(rest, number);
	for (int i = 0; i < 6; i++)
		values[i] = va_arg(rest, long);
	va_end(rest);
	if (number == SYS_io_uring_enter && values[1] && is_refused()) {
		note("refused %ld\n", values[1]);
		errno = number_of("REFUSE_WITH", EBADF);
		return -1;
	}
	if (number == SYS_io_uring_enter)
		note_entries((int)values[0], (unsigned)values[1]);
	answer = NEXT(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
	if (number == SYS_io_uring_enter && answer >= 0)
		spoil_completion((int)values[0]);
	if (number == SYS_io_uring_setup && answer >= 0)
		layout = *(struct io_uring_params *)values[1];
	return answer;
}
