/* cardbench-engine: opens a device, does exactly the input and output it is asked for, and times it.
 * It speaks PROTOCOL.md on stdin and stdout and decides nothing. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

int main(int argc, char **argv)
{
	int status;

	if (argc != 1) {
		fprintf(stderr, "usage: %s < requests > replies; the requests are in PROTOCOL.md\n", argv[0]);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN); /* a client that went away is an error to report, not a reason to die */
	status = serve(stdin, stdout);
	if (status)
		fprintf(stderr, "cardbench-engine: %s\n", strerror(-status));
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
