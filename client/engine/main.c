/* cardbench-engine: opens a device, reads and writes exactly as requested, and measures the time.
 * It speaks the protocol of PROTOCOL.md on stdin and stdout, and makes no decisions of its own. */

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
	signal(SIGPIPE, SIG_IGN); /* if the client is gone, `serve` returns an error instead */
	status = serve(stdin, stdout);
	if (status)
		fprintf(stderr, "cardbench-engine: %s\n", strerror(-status));
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
