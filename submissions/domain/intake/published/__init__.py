"""Tables of results that others have published -> reports. The format stands in api/v1/TABLE.md."""
