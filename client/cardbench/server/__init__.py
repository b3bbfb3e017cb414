"""Send requests to the site over HTTP."""
