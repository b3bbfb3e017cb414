#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdio.h>

/* Serves requests in the format of PROTOCOL.md, until `quit` or the end of `input`.
 * Returns 0, or -errno if replies cannot be written any more. */
int serve(FILE *input, FILE *output);

#endif
