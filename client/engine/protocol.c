#include "protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "pattern.h"
#include "queue.h"
#include "text.h"

enum { VERSION = 1, MAX_OFFSETS = 4096 };

/* The state between two requests. About 200 KiB, plus the buffers of the device. */
struct session {
	FILE *output;
	struct device device;
	bool finished;
	const char *reason; /* of an error that still needs a reply; else NULL */
	uint64_t offsets_bytes[MAX_OFFSETS];
	uint64_t answers[MAX_OFFSETS]; /* times in ns, positions or checksums */
	char line[MAX_LINE_BYTES + 1];
};

/* A handler replies `ok` and returns 0, or it returns -errno after a call of `refuse` or its own `error` reply. */
struct request {
	const char *word;
	int (*handle)(struct session *session, char *arguments);
	bool bare; /* takes no arguments */
	bool open; /* needs an open device */
};

static int refuse(struct session *session, int code, const char *reason)
{
	session->reason = reason;
	return code;
}

static int handle_hello(struct session *session, char *arguments)
{
	(void)arguments;
	fprintf(session->output, "ok cardbench-engine %d clock=monotonic_raw max_transfer_bytes=%d max_offsets=%d "
	        "max_queue_depth=%u\n", VERSION, MAX_TRANSFER_BYTES, MAX_OFFSETS, queue_deepest());
	return 0;
}

/* Sets `*first` to whether the word is `yes`. Returns -EINVAL if it is neither `yes` nor `no`. */
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

static int handle_open(struct session *session, char *arguments)
{
	struct device *device = &session->device;
	struct device_mode mode;
	int status;

	if (parse_mode(&arguments, &mode))
		return refuse(session, -EINVAL, "use: open read|write direct|buffered [excl] /ABSOLUTE/PATH");
	if (device->fd >= 0)
		return refuse(session, -EBUSY, "close the open device first");
	status = device_open(device, arguments, mode);
	if (status)
		return refuse(session, status, status == -ENOTSUP ? "neither a block device nor a regular file" : strerror(-status));
	fprintf(session->output, "ok size_bytes=%llu logical_block_bytes=%llu kind=%s io=%s\n",
	        (unsigned long long)device->size_bytes, (unsigned long long)device->logical_block_bytes,
	        device->is_block ? "block" : "file", device->direct ? "direct" : "buffered");
	return 0;
}

static int parse_offsets(struct session *session, char *rest, size_t *count)
{
	const char *word;

	while ((word = next_word(&rest))) {
		if (*count == MAX_OFFSETS)
			return refuse(session, -E2BIG, "too many offsets; hello tells the limit");
		if (parse_u64(word, &session->offsets_bytes[(*count)++]))
			return refuse(session, -EINVAL, "an offset is not a decimal number of at most 64 bits");
	}
	return *count ? 0 : refuse(session, -EINVAL, "at least one offset is needed");
}

/* Checks every offset before the first transfer, so that a refused request has no effect. */
static int check_transfers(struct session *session, const struct transfers *transfers, unsigned at_once)
{
	uint64_t size_bytes = session->device.size_bytes, block_bytes = session->device.logical_block_bytes;
	uint64_t length_bytes = transfers->length_bytes;

	if (length_bytes > MAX_TRANSFER_BYTES || length_bytes > MAX_UNDER_WAY_BYTES / at_once)
		return refuse(session, -E2BIG, "too much at once; hello tells the limit");
	for (size_t i = 0; i < transfers->count; i++) {
		uint64_t offset_bytes = session->offsets_bytes[i];

		if (!length_bytes || length_bytes % block_bytes || offset_bytes % block_bytes)
			return refuse(session, -EINVAL, "length and offsets must be multiples of logical_block_bytes");
		if (offset_bytes > size_bytes || length_bytes > size_bytes - offset_bytes)
			return refuse(session, -ERANGE, "past the end of the device");
	}
	return 0;
}

static int put_answers(struct session *session, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_u64(session->output, session->answers[i]);
	putc('\n', session->output);
	return 0;
}

static int answer_failure(struct session *session, int status, size_t failed, size_t done)
{
	fprintf(session->output, "error %s offset=%llu done=%zu", error_name(status),
	        (unsigned long long)session->offsets_bytes[failed], done);
	put_answers(session, done);
	return status;
}

static int sync_option(char **rest)
{
	if (take_option(rest, "dsync "))
		return RWF_DSYNC;
	return take_option(rest, "osync ") ? RWF_SYNC : 0;
}

/* Parses LENGTH OFFSET..., or LENGTH SEED OFFSET... to write or verify data. */
static int parse_transfers(struct session *session, char *rest, struct transfers *transfers)
{
	bool is_write = transfers->verb == WRITE, seeded = is_write || transfers->verb == CHECK;
	const char *length, *seed;

	if (is_write && !session->device.writable)
		return refuse(session, -EBADF, "the device was opened for reading");
	transfers->sync_flag = is_write ? sync_option(&rest) : 0;
	length = next_word(&rest);
	seed = seeded ? next_word(&rest) : "0";
	if (!length || !seed || parse_u64(length, &transfers->length_bytes) || parse_u64(seed, &transfers->seed))
		return refuse(session, -EINVAL, seeded ? "use: LENGTH SEED OFFSET..." : "use: LENGTH OFFSET...");
	transfers->offsets_bytes = session->offsets_bytes;
	transfers->answers = session->answers;
	return parse_offsets(session, rest, &transfers->count);
}

static int run_one(struct device *device, const struct transfers *transfers, size_t number)
{
	uint64_t offset_bytes = transfers->offsets_bytes[number], *answer = &transfers->answers[number];
	size_t length_bytes = (size_t)transfers->length_bytes;
	int status;

	if (transfers->verb == WRITE)
		return device_write(device, length_bytes, offset_bytes, transfers->seed, transfers->sync_flag, answer);
	status = device_read(device, length_bytes, offset_bytes, answer);
	if (!status)
		transfers_look(device, transfers, number, device->buffer);
	return status;
}

/* Runs transfers one at a time, by system calls that wait. */
static int run_in_turn(struct session *session, char *arguments, struct transfers transfers)
{
	size_t done = 0;
	int status;

	if ((status = parse_transfers(session, arguments, &transfers)) || (status = check_transfers(session, &transfers, 1)))
		return status;
	for (; done < transfers.count; done++)
		if ((status = run_one(&session->device, &transfers, done)))
			return answer_failure(session, status, done, done);
	fputs("ok", session->output);
	return put_answers(session, done);
}

static int handle_read(struct session *session, char *arguments)
{
	return run_in_turn(session, arguments, (struct transfers){.verb = READ});
}

static int handle_write(struct session *session, char *arguments)
{
	return run_in_turn(session, arguments, (struct transfers){.verb = WRITE});
}

static int handle_check(struct session *session, char *arguments)
{
	return run_in_turn(session, arguments, (struct transfers){.verb = CHECK});
}

static int handle_sum(struct session *session, char *arguments)
{
	return run_in_turn(session, arguments, (struct transfers){.verb = SUM});
}

static int find_verb(const char *word, enum verb *verb)
{
	static const char *const VERBS[] = {[READ] = "read", [WRITE] = "write", [CHECK] = "check", [SUM] = "sum"};

	for (*verb = READ; word && *verb <= SUM; (*verb)++)
		if (strcmp(word, VERBS[*verb]) == 0)
			return 0;
	return -EINVAL;
}

/* Runs transfers several at a time. After an error no times are sent, because those of unfinished transfers are wrong. */
static int handle_queue(struct session *session, char *arguments)
{
	const char *word = next_word(&arguments), *verb = next_word(&arguments);
	struct transfers transfers = {.verb = READ};
	uint64_t depth, elapsed_ns;
	size_t failed;
	int status;

	if (!word || parse_u64(word, &depth) || find_verb(verb, &transfers.verb))
		return refuse(session, -EINVAL, "use: queue DEPTH read|sum LENGTH OFFSET... or queue DEPTH write|check LENGTH SEED OFFSET...");
	if (!depth || depth > queue_deepest())
		return refuse(session, -ENOTSUP, "the queue is not that deep here; hello tells the limit");
	if ((status = parse_transfers(session, arguments, &transfers)) ||
	    (status = check_transfers(session, &transfers, (unsigned)depth)))
		return status;
	status = queue_run(&session->device, &transfers, (unsigned)depth, &elapsed_ns, &failed);
	if (status)
		return answer_failure(session, status, failed, 0);
	fprintf(session->output, "ok elapsed_ns=%llu", (unsigned long long)elapsed_ns);
	return put_answers(session, transfers.count);
}

static int handle_sync(struct session *session, char *arguments)
{
	int status = device_sync(&session->device, session->answers);

	(void)arguments;
	if (status)
		return refuse(session, status, strerror(-status));
	fputs("ok", session->output);
	return put_answers(session, 1);
}

static int handle_close(struct session *session, char *arguments)
{
	(void)arguments;
	device_close(&session->device);
	fputs("ok\n", session->output);
	return 0;
}

static int handle_quit(struct session *session, char *arguments)
{
	(void)arguments;
	session->finished = true;
	fputs("ok\n", session->output);
	return 0;
}

static const struct request REQUESTS[] = {
	{"hello", handle_hello, .bare = true},
	{"open", handle_open, .open = false},
	{"read", handle_read, .open = true},
	{"write", handle_write, .open = true},
	{"queue", handle_queue, .open = true},
	{"check", handle_check, .open = true},
	{"sum", handle_sum, .open = true},
	{"sync", handle_sync, .bare = true, .open = true},
	{"close", handle_close, .bare = true, .open = true},
	{"quit", handle_quit, .bare = true},
};

static int dispatch(struct session *session)
{
	char *rest = session->line;
	const char *word = next_word(&rest);

	for (size_t i = 0; word && i < sizeof REQUESTS / sizeof REQUESTS[0]; i++) {
		if (strcmp(word, REQUESTS[i].word) != 0)
			continue;
		if (REQUESTS[i].bare && *rest)
			return refuse(session, -EINVAL, "this takes nothing");
		if (REQUESTS[i].open && session->device.fd < 0)
			return refuse(session, -EBADF, "no device is open");
		return REQUESTS[i].handle(session, rest);
	}
	return refuse(session, -EINVAL, "use one of: hello open read write sync queue check sum close quit");
}

static void answer(struct session *session, int status)
{
	session->reason = status == -E2BIG ? "the line is too long" : "the line holds a NUL byte";
	if (!status) {
		session->reason = NULL;
		status = dispatch(session);
	}
	if (session->reason)
		fprintf(session->output, "error %s %s\n", error_name(status), session->reason);
}

int serve(FILE *input, FILE *output)
{
	struct session *session = calloc(1, sizeof *session);
	int status = 0, line_status;

	if (!session)
		return -ENOMEM;
	session->output = output;
	session->device.fd = -1;
	while (!session->finished && !status && (line_status = read_line(input, session->line)) != -ENODATA) {
		answer(session, line_status);
		status = fflush(output) ? -errno : 0;
	}
	device_free(&session->device);
	free(session);
	return status;
}
