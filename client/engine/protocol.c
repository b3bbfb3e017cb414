#include "protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "pattern.h"
#include "queue.h"
#include "text.h"

enum { VERSION = 1, MAX_OFFSETS = 4096 };

/* Everything between the first request and the last. About 200 KiB, plus the buffer of the device. */
struct session {
	FILE *output;
	struct device device;
	bool finished;
	size_t count; /* used places of the two arrays */
	uint64_t offsets_bytes[MAX_OFFSETS];
	uint64_t durations_ns[MAX_OFFSETS];
	char line[MAX_LINE_BYTES + 1];
};

/* A handler answers with an `ok` line and returns 0, or answers nothing and returns -errno and a reason;
 * a NULL reason means that it has answered the error itself. */
struct request {
	const char *word;
	int (*handle)(struct session *session, char *arguments, const char **reason);
};

static int refuse(int code, const char **reason, const char *explanation)
{
	*reason = explanation;
	return code;
}

static int handle_hello(struct session *session, char *arguments, const char **reason)
{
	if (*arguments)
		return refuse(-EINVAL, reason, "hello takes nothing");
	fprintf(session->output, "ok cardbench-engine %d clock=monotonic max_transfer_bytes=%d max_offsets=%d "
	        "max_queue_depth=%u\n", VERSION, MAX_TRANSFER_BYTES, MAX_OFFSETS, queue_deepest());
	return 0;
}

/* A word of two choices: true or false in `*first`. */
static int choose(const char *word, const char *yes, const char *no, bool *first)
{
	if (!word || (strcmp(word, yes) != 0 && strcmp(word, no) != 0))
		return -EINVAL;
	*first = strcmp(word, yes) == 0;
	return 0;
}

static bool take_option(char **rest, const char *option)
{
	bool given = strncmp(*rest, option, strlen(option)) == 0;

	*rest += given ? strlen(option) : 0;
	return given;
}

static int parse_mode(char **rest, struct device_mode *mode)
{
	if (choose(next_word(rest), "write", "read", &mode->write) || choose(next_word(rest), "direct", "buffered", &mode->direct))
		return -EINVAL;
	mode->exclusive = take_option(rest, "excl ");
	return **rest == '/' ? 0 : -EINVAL;
}

static int handle_open(struct session *session, char *arguments, const char **reason)
{
	struct device *device = &session->device;
	struct device_mode mode;
	int status;

	if (parse_mode(&arguments, &mode))
		return refuse(-EINVAL, reason, "use: open read|write direct|buffered [excl] /ABSOLUTE/PATH");
	if (device->fd >= 0)
		return refuse(-EBUSY, reason, "close the open device first");
	status = device_open(device, arguments, mode);
	if (status)
		return refuse(status, reason, status == -ENOTSUP ? "neither a block device nor a regular file" : strerror(-status));
	fprintf(session->output, "ok size_bytes=%llu logical_block_bytes=%llu kind=%s io=%s\n",
	        (unsigned long long)device->size_bytes, (unsigned long long)device->logical_block_bytes,
	        device->is_block ? "block" : "file", device->direct ? "direct" : "buffered");
	return 0;
}

static int parse_offsets(struct session *session, char *rest, const char **reason)
{
	const char *word;

	session->count = 0;
	while ((word = next_word(&rest))) {
		if (session->count == MAX_OFFSETS)
			return refuse(-E2BIG, reason, "too many offsets; hello tells the limit");
		if (parse_u64(word, &session->offsets_bytes[session->count++]))
			return refuse(-EINVAL, reason, "an offset is not a decimal number of at most 64 bits");
	}
	return session->count ? 0 : refuse(-EINVAL, reason, "at least one offset is needed");
}

/* Every offset is looked at before the first transfer, so that a refused request has done nothing. */
static int check_transfers(struct session *session, uint64_t length_bytes, const char **reason)
{
	for (size_t i = 0; i < session->count; i++) {
		switch (device_check(&session->device, length_bytes, session->offsets_bytes[i])) {
		case 0:
			break;
		case -E2BIG:
			return refuse(-E2BIG, reason, "the length is too large; hello tells the limit");
		case -ERANGE:
			return refuse(-ERANGE, reason, "past the end of the device");
		default:
			return refuse(-EINVAL, reason, "length and offsets must be multiples of logical_block_bytes");
		}
	}
	return 0;
}

static void put_durations(struct session *session, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_u64(session->output, session->durations_ns[i]);
	putc('\n', session->output);
}

static int answer_transfers(struct session *session, size_t done, int status, const char **reason)
{
	if (status) {
		fprintf(session->output, "error %s offset=%llu done=%zu", error_name(status),
		        (unsigned long long)session->offsets_bytes[done], done);
		*reason = NULL;
	} else {
		fputs("ok", session->output);
	}
	put_durations(session, done);
	return status;
}

/* LENGTH OFFSET..., or, when `seeded`, LENGTH SEED OFFSET... */
static int parse_transfers(struct session *session, char *rest, bool seeded, struct transfers *transfers,
                           const char **reason)
{
	const char *length = next_word(&rest), *seed = seeded ? next_word(&rest) : "0";
	int status;

	if (session->device.fd < 0)
		return refuse(-EBADF, reason, "no device is open");
	if (transfers->write && !session->device.writable)
		return refuse(-EBADF, reason, "the device was opened for reading");
	if (!length || !seed || parse_u64(length, &transfers->length_bytes) || parse_u64(seed, &transfers->seed))
		return refuse(-EINVAL, reason, seeded ? "use: LENGTH SEED OFFSET..." : "use: LENGTH OFFSET...");
	status = parse_offsets(session, rest, reason);
	if (status)
		return status;
	transfers->count = session->count;
	transfers->offsets_bytes = session->offsets_bytes;
	transfers->durations_ns = session->durations_ns;
	return check_transfers(session, transfers->length_bytes, reason);
}

static int reserve(struct session *session, uint64_t length_bytes, unsigned depth, const char **reason)
{
	if (length_bytes > MAX_TRANSFER_BYTES / depth)
		return refuse(-E2BIG, reason, "all that is under way at once is larger than max_transfer_bytes");
	if (device_reserve(&session->device, (size_t)length_bytes * depth))
		return refuse(-ENOMEM, reason, "no memory for the buffer");
	return 0;
}

static int sync_option(char **rest)
{
	if (take_option(rest, "dsync "))
		return RWF_DSYNC;
	return take_option(rest, "osync ") ? RWF_SYNC : 0;
}

/* One at a time. */
static int run_in_turn(struct session *session, const struct transfers *transfers, const char **reason)
{
	struct device *device = &session->device;
	size_t length_bytes = (size_t)transfers->length_bytes, done = 0;
	int status = reserve(session, transfers->length_bytes, 1, reason);

	if (status)
		return status;
	for (; done < transfers->count && !status; done += !status) {
		uint64_t offset_bytes = transfers->offsets_bytes[done], *duration_ns = &transfers->durations_ns[done];

		status = transfers->write ? device_write(device, length_bytes, offset_bytes, transfers->seed,
		                                         transfers->sync_flag, duration_ns)
		                          : device_read(device, length_bytes, offset_bytes, duration_ns);
	}
	return answer_transfers(session, done, status, reason);
}

/* Several at a time. After an error no times are told: those of what was under way mean nothing. */
static int run_queue(struct session *session, const struct transfers *transfers, unsigned depth, const char **reason)
{
	uint64_t elapsed_ns;
	size_t failed;
	int status = reserve(session, transfers->length_bytes, depth, reason);

	if (status)
		return status;
	status = queue_run(&session->device, transfers, depth, &elapsed_ns, &failed);
	if (status) {
		fprintf(session->output, "error %s offset=%llu done=0\n", error_name(status),
		        (unsigned long long)transfers->offsets_bytes[failed]);
		*reason = NULL;
		return status;
	}
	fprintf(session->output, "ok elapsed_ns=%llu", (unsigned long long)elapsed_ns);
	put_durations(session, transfers->count);
	return 0;
}

/* `depth` 0: one at a time, by system calls that wait. */
static int transfer(struct session *session, char *arguments, bool write, unsigned depth, const char **reason)
{
	struct transfers transfers = {.write = write, .sync_flag = write ? sync_option(&arguments) : 0};
	int status = parse_transfers(session, arguments, write, &transfers, reason);

	if (status)
		return status;
	return depth ? run_queue(session, &transfers, depth, reason) : run_in_turn(session, &transfers, reason);
}

static int handle_read(struct session *session, char *arguments, const char **reason)
{
	return transfer(session, arguments, false, 0, reason);
}

static int handle_write(struct session *session, char *arguments, const char **reason)
{
	return transfer(session, arguments, true, 0, reason);
}

static int handle_queue(struct session *session, char *arguments, const char **reason)
{
	const char *word = next_word(&arguments), *verb = next_word(&arguments);
	uint64_t depth;
	bool write;

	if (!word || parse_u64(word, &depth) || choose(verb, "write", "read", &write))
		return refuse(-EINVAL, reason, "use: queue DEPTH read LENGTH OFFSET... or queue DEPTH write LENGTH SEED OFFSET...");
	if (!depth || depth > queue_deepest())
		return refuse(-ENOTSUP, reason, "the queue is not that deep here; hello tells the limit");
	return transfer(session, arguments, write, (unsigned)depth, reason);
}

static int handle_check(struct session *session, char *arguments, const char **reason)
{
	struct transfers transfers = {.write = false};
	struct device *device = &session->device;
	uint64_t duration_ns, *found_bytes = session->durations_ns; /* answered in place of times */
	size_t length_bytes, done = 0;
	int status;

	if ((status = parse_transfers(session, arguments, true, &transfers, reason)) ||
	    (status = reserve(session, transfers.length_bytes, 1, reason)))
		return status;
	for (length_bytes = (size_t)transfers.length_bytes; done < transfers.count && !status; done += !status) {
		status = device_read(device, length_bytes, transfers.offsets_bytes[done], &duration_ns);
		if (!status && !pattern_find(device->pool, device->buffer, length_bytes, transfers.seed, &found_bytes[done]))
			found_bytes[done] = UINT64_MAX; /* no position: it is no multiple of 8 */
	}
	return answer_transfers(session, done, status, reason);
}

static int handle_sync(struct session *session, char *arguments, const char **reason)
{
	uint64_t duration_ns;
	int status;

	if (*arguments)
		return refuse(-EINVAL, reason, "sync takes nothing");
	if (session->device.fd < 0)
		return refuse(-EBADF, reason, "no device is open");
	status = device_sync(&session->device, &duration_ns);
	if (status)
		return refuse(status, reason, strerror(-status));
	fprintf(session->output, "ok %llu\n", (unsigned long long)duration_ns);
	return 0;
}

static int handle_close(struct session *session, char *arguments, const char **reason)
{
	if (*arguments)
		return refuse(-EINVAL, reason, "close takes nothing");
	if (session->device.fd < 0)
		return refuse(-EBADF, reason, "no device is open");
	device_close(&session->device);
	fputs("ok\n", session->output);
	return 0;
}

static int handle_quit(struct session *session, char *arguments, const char **reason)
{
	if (*arguments)
		return refuse(-EINVAL, reason, "quit takes nothing");
	session->finished = true;
	fputs("ok\n", session->output);
	return 0;
}

static const struct request REQUESTS[] = {
	{"hello", handle_hello}, {"open", handle_open},   {"read", handle_read}, {"write", handle_write},
	{"sync", handle_sync},   {"queue", handle_queue}, {"check", handle_check},
	{"close", handle_close}, {"quit", handle_quit},
};

static int dispatch(struct session *session, const char **reason)
{
	char *rest = session->line;
	const char *word = next_word(&rest);

	for (size_t i = 0; word && i < sizeof REQUESTS / sizeof REQUESTS[0]; i++)
		if (strcmp(word, REQUESTS[i].word) == 0)
			return REQUESTS[i].handle(session, rest, reason);
	return refuse(-EINVAL, reason, "use one of: hello open read write sync queue check close quit");
}

static void answer(struct session *session, int line_status)
{
	const char *reason = line_status == -E2BIG ? "the line is too long" : "the line holds a NUL byte";
	int status = line_status ? line_status : dispatch(session, &reason);

	if (status && reason)
		fprintf(session->output, "error %s %s\n", error_name(status), reason);
}

int serve(FILE *input, FILE *output)
{
	struct session *session = malloc(sizeof *session);
	int status = 0;

	if (!session)
		return -ENOMEM;
	session->output = output;
	session->finished = false;
	device_init(&session->device);
	while (!session->finished && !status) {
		int line_status = read_line(input, session->line);

		if (line_status == -ENODATA)
			break;
		answer(session, line_status);
		if (fflush(output))
			status = -errno;
	}
	device_free(&session->device);
	free(session);
	return status;
}
