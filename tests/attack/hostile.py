"""Texts of an attacker that are small to send and take long to read."""

from typing import Final

# Each took 6 to 77 s of CPU time before there was a limit.
TEXTS: Final = {
    "braces": b"{\n" * 400_000,
    "carriage returns": b"a\r" * 3_999_999,
    "quoted rates": b"> > > > 1 MB/s\n" * 500_000,
    "numbers": b"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n" * 200_000,
    "numbers in long lines": (b"1 2 3 " * 330 + b"\n") * 4_000,
    "open AU rows": b"4MiB 9.1M/s 9.1M/s 9.1M/s 9.1M/s 9.1M/s 9.1M/s\n" * 49_000,
    "JSON-like": b'{"a": 1, "fio version" : "x", "jobs": [1, 2, 3]\n' * 49_000,
    "prompts": b"user@host:~/dir$ dd if=/dev/sda of=/dev/null bs=1M count=100 && dd $[1*2]\n" * 49_000,
    "headings": b"== 1 2 3 4 ==\n# 5 6 7\n" * 24_000,
    "hex": b"cid 0254 4d53 4130 3447 1135 3389 0900 d371 [CID: 0x1]\n" * 49_000,
    "markup": b"<p [code= &amp &#x" * 440_000,
    "escapes": b"\x1b[" * 3_999_999,
}
