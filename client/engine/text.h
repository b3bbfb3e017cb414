#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_LINE_BYTES = 128 * 1024 };

/* Reads one line into `line` (MAX_LINE_BYTES + 1), without its newline and ended by NUL.
 * 0; -ENODATA at the end of the input; -E2BIG or -EINVAL (a NUL byte) after skipping a line that cannot be taken. */
int read_line(FILE *input, char *line);

/* Cuts the next word off `*rest`; NULL when there is none. */
char *next_word(char **rest);

/* A decimal number without sign, at most 2^64 - 1: 0, else -EINVAL. */
int parse_u64(const char *word, uint64_t *value);

/* A blank and a number. printf is a tenth of a 4 KiB read from memory, this is not. */
void put_u64(FILE *output, uint64_t value);

/* The name of an errno value such as "EIO"; `code` is negative. Unknown ones are "E" and the number. */
const char *error_name(int code);

#endif
