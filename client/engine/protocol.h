#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdio.h>

/* Serves requests as PROTOCOL.md says, until `quit` or the end of `input`.
 * 0, or -errno when replies can no longer be written. */
int serve(FILE *input, FILE *output);

#endif
