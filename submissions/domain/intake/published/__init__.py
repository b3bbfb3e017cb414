"""Convert tables of results that other people have published to reports. api/v1/TABLE.md describes the format."""
