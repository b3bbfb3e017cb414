#include "text.h"

#include <errno.h>
#include <string.h>

int read_line(FILE *input, char *line)
{
	size_t length = 0;
	int status = 0, byte;

	while ((byte = getc_unlocked(input)) != EOF && byte != '\n') {
		if (byte == '\0')
			status = -EINVAL;
		else if (length == MAX_LINE_BYTES)
			status = -E2BIG;
		else
			line[length++] = (char)byte;
	}
	line[length] = '\0';
	return byte == EOF ? -ENODATA : status; /* a line without its newline may be half of a request */
}

char *next_word(char **rest)
{
	char *word = *rest;
	char *blank = strchr(word, ' ');

	if (*word == '\0')
		return NULL;
	*rest = blank ? blank + 1 : word + strlen(word);
	if (blank)
		*blank = '\0';
	return word;
}

int parse_u64(const char *word, uint64_t *value)
{
	uint64_t number = 0;

	if (*word == '\0')
		return -EINVAL;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*word - '0'), &number))
			return -EINVAL;
	}
	*value = number;
	return 0;
}

void put_u64(FILE *output, uint64_t value)
{
	char text[21]; /* a blank and 20 digits */
	size_t begin = sizeof text;

	do {
		text[--begin] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text[--begin] = ' ';
	fwrite_unlocked(text + begin, 1, sizeof text - begin, output);
}

/* Errors of open, ioctl, pread, pwrite and fdatasync on block devices and files, and the codes of PROTOCOL.md. */
#define NAMED(code) {code, #code}
static const struct {
	int code;
	const char *name;
} NAMES[] = {
	NAMED(E2BIG), NAMED(EACCES), NAMED(EAGAIN), NAMED(EBADF), NAMED(EBUSY), NAMED(EFBIG), NAMED(EILSEQ), NAMED(EINTR),
	NAMED(EINVAL), NAMED(EIO), NAMED(EISDIR), NAMED(ELOOP), NAMED(EMFILE), NAMED(ENAMETOOLONG), NAMED(ENODATA),
	NAMED(ENODEV), NAMED(ENOENT), NAMED(ENOMEDIUM), NAMED(ENOMEM), NAMED(ENOSYS), NAMED(ENOSPC), NAMED(ENOTDIR), NAMED(ENOTSUP),
	NAMED(ENXIO), NAMED(EPERM), NAMED(ERANGE), NAMED(EREMOTEIO), NAMED(EROFS), NAMED(ETIMEDOUT), NAMED(ETXTBSY),
};

const char *error_name(int code)
{
	static char unknown[16];

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (NAMES[i].code == -code)
			return NAMES[i].name;
	snprintf(unknown, sizeof unknown, "E%d", -code);
	return unknown;
}
