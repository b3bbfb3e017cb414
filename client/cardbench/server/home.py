"""The address of the server that reports go to unless another is named; a site that packs the client writes its own."""

URL = "http://127.0.0.1:8000"
