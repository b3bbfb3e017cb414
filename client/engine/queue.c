#include "queue.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pattern.h"

/* An io_uring used by system calls without a library (io_uring(7)): two rings shared with the kernel in one mapping. */
struct ring {
	int fd;
	unsigned char *shared;
	size_t shared_bytes;
	struct io_uring_sqe *entries;
	size_t entries_bytes;
	struct io_uring_params layout;
};

/* A part of the buffer and its transfer. In the state FILLED the transfer is ready to be submitted. */
struct slot {
	enum { FREE, FILLED, SUBMITTED } state;
	size_t number; /* index of the transfer */
	uint64_t begin_ns;
};

/* The most attempts in a row, 1 ms apart, while the kernel says that it is busy. */
enum { MOST_REFUSALS = 3000 };

/* A whole run: the requested transfers and their progress. */
struct run {
	struct device *device;
	const struct transfers *transfers;
	unsigned depth;
	unsigned slot_count; /* more than `depth` if the buffer is large enough; filled while the device works */
	struct ring ring;
	struct slot slots[2 * MAX_QUEUE_DEPTH];
	size_t next;        /* index of the next transfer that gets a slot */
	unsigned filled;    /* slots that are ready, but not submitted */
	unsigned under_way; /* transfers that are submitted, but not completed */
	unsigned prepared;  /* transfers in the ring that the kernel has not taken */
	unsigned refusals;  /* since the last completed transfer */
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

static bool ring_is_ready(const struct ring *ring)
{
	return *word(ring, ring->layout.cq_off.head) !=
	       __atomic_load_n(word(ring, ring->layout.cq_off.tail), __ATOMIC_ACQUIRE);
}

static bool ring_take(struct ring *ring, struct io_uring_cqe *completion)
{
	unsigned *head = word(ring, ring->layout.cq_off.head);
	const struct io_uring_cqe *all = (const void *)(ring->shared + ring->layout.cq_off.cqes);

	if (!ring_is_ready(ring))
		return false;
	*completion = all[*head & *word(ring, ring->layout.cq_off.ring_mask)];
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return true;
}

/* The first transfer in the ring that the kernel has not taken. */
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

void transfers_look(const struct device *device, const struct transfers *transfers, size_t number, const void *buffer)
{
	uint64_t *answer = &transfers->answers[number];
	size_t length_bytes = (size_t)transfers->length_bytes;

	if (transfers->verb == CHECK && !pattern_find(device->pool, buffer, length_bytes, transfers->seed, answer))
		*answer = UINT64_MAX; /* stands for “no position”, because it is not a multiple of 8 */
	if (transfers->verb == SUM)
		*answer = pattern_sum(buffer, length_bytes);
}

static unsigned char *slot_buffer(const struct run *run, unsigned place)
{
	return (unsigned char *)run->device->buffer + place * (size_t)run->transfers->length_bytes;
}

/* Puts the transfer of a slot into the ring, for the first time or again. */
static void submit(struct run *run, unsigned place)
{
	const struct transfers *transfers = run->transfers;
	struct io_uring_sqe entry = {
	        .opcode = transfers->verb == WRITE ? IORING_OP_WRITE : IORING_OP_READ,
	        .fd = run->device->fd,
	        .off = transfers->offsets_bytes[run->slots[place].number],
	        .addr = (uint64_t)(uintptr_t)slot_buffer(run, place),
	        .len = (uint32_t)transfers->length_bytes,
	        .rw_flags = (__typeof__(entry.rw_flags))transfers->sync_flag, /* signed in some headers */
	        .user_data = place,
	};

	ring_put(&run->ring, &entry);
	run->under_way++;
	run->prepared++;
}

static struct slot *free_slot(struct run *run)
{
	for (unsigned place = 0; place < run->slot_count; place++)
		if (run->slots[place].state == FREE)
			return &run->slots[place];
	return NULL;
}

/* The filled slot with the first transfer in order; NULL if no slot is filled. */
static struct slot *next_filled(struct run *run)
{
	struct slot *next = NULL;

	for (struct slot *slot = run->slots; slot < run->slots + run->slot_count; slot++)
		if (slot->state == FILLED && (!next || slot->number < next->number))
			next = slot;
	return next;
}

static unsigned place_of(const struct run *run, const struct slot *slot)
{
	return (unsigned)(slot - run->slots);
}

/* Puts the data of the next transfer into a free slot; false if there is no free slot or no further transfer. */
static bool fill_one(struct run *run)
{
	const struct transfers *transfers = run->transfers;
	struct slot *slot = run->next < transfers->count && !run->status ? free_slot(run) : NULL;

	if (!slot)
		return false;
	if (transfers->verb == WRITE)
		pattern_copy(run->device->pool, slot_buffer(run, place_of(run, slot)), (size_t)transfers->length_bytes,
		             transfers->offsets_bytes[run->next], transfers->seed);
	*slot = (struct slot){.state = FILLED, .number = run->next++};
	run->filled++;
	return true;
}

/* Uses every page before the clock starts, because the first use of a page takes as long as a card for its data. */
static void touch_and_fill(struct run *run)
{
	if (run->transfers->verb != WRITE)
		memset(run->device->buffer, 0, run->slot_count * (size_t)run->transfers->length_bytes);
	while (fill_one(run))
		;
}

/* Submits transfers until `depth` are in progress. None waits while the data of another is copied. */
static void submit_filled(struct run *run)
{
	while (run->under_way + run->filled < run->depth && fill_one(run))
		;
	while (run->filled && run->under_way < run->depth && !run->status) {
		struct slot *slot = next_filled(run);

		slot->state = SUBMITTED;
		slot->begin_ns = now_ns();
		run->filled--;
		submit(run, place_of(run, slot));
	}
}

static void a_while(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Returns whether the kernel was only busy, so that another attempt makes sense; then it has waited 1 ms. */
static bool is_busy(struct run *run, int error)
{
	if ((error != EAGAIN && error != EBUSY) || run->status || run->refusals++ >= MOST_REFUSALS)
		return false;
	a_while();
	return true;
}

/* Ends the run with an error. Transfers that the kernel has not taken are no longer in progress. */
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
	run->transfers->answers[slot->number] = now_ns() - slot->begin_ns;
	slot->state = FREE;
	if ((uint64_t)completion->res == run->transfers->length_bytes) {
		run->refusals = 0;
		transfers_look(run->device, run->transfers, slot->number, slot_buffer(run, place));
	} else {
		give_up(run, device_cause(run->device, completion->res < 0 ? completion->res : -EIO), slot->number);
	}
}

/* Submits the prepared transfers, and waits for completions; even if the kernel refuses this, completions arrive. */
static void enter(struct run *run, unsigned completions)
{
	unsigned flags = completions ? IORING_ENTER_GETEVENTS : 0;
	long submitted = syscall(SYS_io_uring_enter, run->ring.fd, run->prepared, completions, flags, NULL, 0);
	int error = submitted < 0 ? errno : 0;

	if (!error) {
		run->prepared -= (unsigned)submitted;
	} else if (error != EINTR && !is_busy(run, error)) {
		give_up(run, -error, run->slots[ring_next(&run->ring)->user_data].number);
		a_while();
	}
}

/* Waits for a completion; meanwhile, while the device works, the data of the next transfers is copied. */
static void wait_for_one(struct run *run)
{
	if (run->prepared && run->next < run->transfers->count && free_slot(run)) {
		enter(run, 0);
		while (!ring_is_ready(&run->ring) && fill_one(run))
			;
	}
	if (run->under_way)
		enter(run, 1);
}

/* After an error submits no more, but waits for the transfers in progress, because they use the buffer. */
static int serve_queue(struct run *run)
{
	struct io_uring_cqe completion;

	while (submit_filled(run), run->under_way) {
		wait_for_one(run);
		while (ring_take(&run->ring, &completion))
			complete(run, &completion);
	}
	return run->status;
}

/* The number of slots: one for each transfer in progress, and for writing two, as far as the buffer has room. */
static unsigned slots_for(const struct transfers *transfers, unsigned depth)
{
	uint64_t fitting = MAX_UNDER_WAY_BYTES / transfers->length_bytes, wanted = transfers->verb == WRITE ? 2 * depth : depth;

	return (unsigned)(wanted < fitting ? wanted : fitting);
}

int queue_run(struct device *device, const struct transfers *transfers, unsigned depth, uint64_t *elapsed_ns,
              size_t *failed)
{
	struct run run = {.device = device, .transfers = transfers, .depth = depth};
	int status = ring_open(&run.ring, depth);
	uint64_t begin_ns;

	run.slot_count = slots_for(transfers, depth);
	touch_and_fill(&run);
	begin_ns = now_ns();
	if (!status)
		status = serve_queue(&run);
	*elapsed_ns = now_ns() - begin_ns;
	*failed = run.failed;
	ring_close(&run.ring);
	return status;
}
