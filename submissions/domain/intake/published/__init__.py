"""Convert tables of results that others have published to reports. api/v1/TABLE.md describes the format."""
