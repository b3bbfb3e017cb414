#include "queue.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pattern.h"

/* An io_uring by its system calls alone (io_uring(7)): two rings shared with the kernel, in one mapping. */
struct ring {
	int fd;
	unsigned char *shared;
	size_t shared_bytes;
	struct io_uring_sqe *entries;
	size_t entries_bytes;
	struct io_uring_params layout;
};

/* One transfer under way. */
struct slot {
	bool busy;
	size_t number; /* which of the transfers */
	uint64_t begin_ns;
};

/* The kernel says that it is busy: so often in a row, a thousandth of a second apart, it is asked again. */
enum { MOST_REFUSALS = 3000 };

/* A whole run: what is asked for, and how far it is. */
struct run {
	struct device *device;
	const struct transfers *transfers;
	unsigned depth;
	struct ring ring;
	struct slot slots[MAX_QUEUE_DEPTH];
	size_t next;        /* the transfer to submit next */
	unsigned under_way; /* submitted and not completed */
	unsigned prepared;  /* put into the ring, and the kernel not told yet */
	unsigned refusals;  /* since something was completed */
	int status;
	size_t failed;
};

static void ring_close(struct ring *ring)
{
	if (ring->shared)
		munmap(ring->shared, ring->shared_bytes);
	if (ring->entries)
		munmap(ring->entries, ring->entries_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
}

static void *map(const struct ring *ring, size_t bytes, off_t offset)
{
	void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, offset);

	return place == MAP_FAILED ? NULL : place;
}

static int ring_open(struct ring *ring, unsigned depth)
{
	struct io_uring_params *layout = &ring->layout;
	size_t submissions_end, completions_end;

	*ring = (struct ring){.fd = -1};
	ring->fd = (int)syscall(SYS_io_uring_setup, depth, layout);
	if (ring->fd < 0)
		return -errno;
	if (!(layout->features & IORING_FEAT_SINGLE_MMAP))
		return -ENOSYS;
	submissions_end = layout->sq_off.array + layout->sq_entries * sizeof(unsigned);
	completions_end = layout->cq_off.cqes + layout->cq_entries * sizeof(struct io_uring_cqe);
	ring->shared_bytes = submissions_end > completions_end ? submissions_end : completions_end;
	ring->entries_bytes = layout->sq_entries * sizeof(struct io_uring_sqe);
	ring->shared = map(ring, ring->shared_bytes, IORING_OFF_SQ_RING);
	ring->entries = map(ring, ring->entries_bytes, (off_t)IORING_OFF_SQES);
	return ring->shared && ring->entries ? 0 : -ENOMEM;
}

static unsigned *word(const struct ring *ring, unsigned offset)
{
	return (unsigned *)(void *)(ring->shared + offset);
}

static void ring_put(struct ring *ring, const struct io_uring_sqe *entry)
{
	unsigned *tail = word(ring, ring->layout.sq_off.tail);
	unsigned place = *tail & *word(ring, ring->layout.sq_off.ring_mask);

	ring->entries[place] = *entry;
	word(ring, ring->layout.sq_off.array)[place] = place;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

static bool ring_take(struct ring *ring, struct io_uring_cqe *completion)
{
	unsigned *head = word(ring, ring->layout.cq_off.head);
	const struct io_uring_cqe *all = (const void *)(ring->shared + ring->layout.cq_off.cqes);

	if (*head == __atomic_load_n(word(ring, ring->layout.cq_off.tail), __ATOMIC_ACQUIRE))
		return false;
	*completion = all[*head & *word(ring, ring->layout.cq_off.ring_mask)];
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return true;
}

/* The first one put into the ring that the kernel has not taken. */
static const struct io_uring_sqe *ring_next(const struct ring *ring)
{
	unsigned head = __atomic_load_n(word(ring, ring->layout.sq_off.head), __ATOMIC_ACQUIRE);

	return &ring->entries[head & *word(ring, ring->layout.sq_off.ring_mask)];
}

unsigned queue_deepest(void)
{
	struct ring ring;
	int status = ring_open(&ring, 1);

	ring_close(&ring);
	return status ? 1 : MAX_QUEUE_DEPTH;
}

/* Puts the transfer of a slot into the ring, for the first time or once more. */
static void submit(struct run *run, unsigned place)
{
	const struct transfers *transfers = run->transfers;
	size_t length_bytes = (size_t)transfers->length_bytes;
	struct io_uring_sqe entry = {
	        .opcode = transfers->write ? IORING_OP_WRITE : IORING_OP_READ,
	        .fd = run->device->fd,
	        .off = transfers->offsets_bytes[run->slots[place].number],
	        .addr = (uint64_t)(uintptr_t)run->device->buffer + place * length_bytes,
	        .len = (uint32_t)length_bytes,
	        .rw_flags = (__typeof__(entry.rw_flags))transfers->sync_flag, /* signed in some headers */
	        .user_data = place,
	};

	ring_put(&run->ring, &entry);
	run->under_way++;
	run->prepared++;
}

static void prepare(struct run *run, unsigned place)
{
	const struct transfers *transfers = run->transfers;
	size_t length_bytes = (size_t)transfers->length_bytes;
	unsigned char *buffer = (unsigned char *)run->device->buffer + place * length_bytes;

	if (transfers->write)
		pattern_copy(run->device->pool, buffer, length_bytes, transfers->offsets_bytes[run->next], transfers->seed);
	run->slots[place] = (struct slot){true, run->next++, now_ns()};
	submit(run, place);
}

static void fill_slots(struct run *run)
{
	for (unsigned place = 0; place < run->depth; place++)
		if (!run->slots[place].busy && run->next < run->transfers->count && !run->status)
			prepare(run, place);
}

static void a_while(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Whether the kernel may do later what it did not do now; then a while has passed. */
static bool is_busy(struct run *run, int error)
{
	if ((error != EAGAIN && error != EBUSY) || run->status || run->refusals++ >= MOST_REFUSALS)
		return false;
	a_while();
	return true;
}

/* Nothing more is submitted: what was prepared, and the kernel has not taken, is not under way. */
static void give_up(struct run *run, int status, size_t failed)
{
	if (!run->status) {
		run->status = status;
		run->failed = failed;
	}
	run->under_way -= run->prepared;
	run->prepared = 0;
}

static void complete(struct run *run, const struct io_uring_cqe *completion)
{
	unsigned place = (unsigned)completion->user_data;
	struct slot *slot = &run->slots[place];

	run->under_way--;
	if (is_busy(run, -completion->res)) {
		submit(run, place);
		return;
	}
	run->transfers->durations_ns[slot->number] = now_ns() - slot->begin_ns;
	slot->busy = false;
	if ((uint64_t)completion->res == run->transfers->length_bytes)
		run->refusals = 0;
	else
		give_up(run, device_cause(run->device, completion->res < 0 ? completion->res : -EIO), slot->number);
}

/* Where the kernel does not even wait, completions arrive all the same. */
static void wait_for_one(struct run *run)
{
	long submitted = syscall(SYS_io_uring_enter, run->ring.fd, run->prepared, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	int error = submitted < 0 ? errno : 0;

	if (!error) {
		run->prepared -= (unsigned)submitted;
	} else if (error != EINTR && !is_busy(run, error)) {
		give_up(run, -error, run->slots[ring_next(&run->ring)->user_data].number);
		a_while();
	}
}

/* After an error nothing more is submitted, and what is under way is waited for: the buffer is in use until then. */
static int serve_queue(struct run *run)
{
	struct io_uring_cqe completion;

	while (fill_slots(run), run->under_way) {
		wait_for_one(run);
		while (ring_take(&run->ring, &completion))
			complete(run, &completion);
	}
	return run->status;
}

int queue_run(struct device *device, const struct transfers *transfers, unsigned depth, uint64_t *elapsed_ns,
              size_t *failed)
{
	struct run run = {.device = device, .transfers = transfers, .depth = depth};
	int status = ring_open(&run.ring, depth);
	uint64_t begin_ns = now_ns();

	if (!status)
		status = serve_queue(&run);
	*elapsed_ns = now_ns() - begin_ns;
	*failed = run.failed;
	ring_close(&run.ring);
	return status;
}
