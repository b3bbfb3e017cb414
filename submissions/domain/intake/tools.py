"""The tools whose output is read: one row each."""

from collections.abc import Iterator
from dataclasses import dataclass

from submissions.domain.intake.readers.agnostics import Agnostics
from submissions.domain.intake.readers.ambiguous import Ambiguous
from submissions.domain.intake.readers.bonnie import Bonnie
from submissions.domain.intake.readers.crystaldiskmark import CrystalDiskMark, KDiskMark
from submissions.domain.intake.readers.dd import Dd
from submissions.domain.intake.readers.drivespeed import DriveSpeed
from submissions.domain.intake.readers.f3 import F3
from submissions.domain.intake.readers.fdisk import Fdisk
from submissions.domain.intake.readers.ffsb import Ffsb
from submissions.domain.intake.readers.fio import Fio
from submissions.domain.intake.readers.fio_table import FioTable
from submissions.domain.intake.readers.flashbench import Flashbench
from submissions.domain.intake.readers.h2testw import H2testw
from submissions.domain.intake.readers.hdparm import Hdparm
from submissions.domain.intake.readers.iozone import Iozone
from submissions.domain.intake.readers.kernel_log import KernelLog
from submissions.domain.intake.readers.mmc_ios import MmcIos
from submissions.domain.intake.readers.partial_identity import PartialIdentity
from submissions.domain.intake.readers.pibenchmarks import PiBenchmarks
from submissions.domain.intake.scene import Reader


@dataclass(frozen=True, slots=True)
class Tool:
    """`recognised`: by which lines; `sync`, `queue_depth`: how it writes and how many requests it keeps in flight;
    `meaning`: what its numbers are; `source`: where that is known from; `target`: what it measures, as in a report.
    """

    name: str
    reader: type[Reader]
    recognised: str
    sync: str
    queue_depth: str
    meaning: str
    source: str
    target: str = "unknown"


TOOLS = (
    Tool(
        "flashbench",
        Flashbench,
        "rows “align N pre … on … post … diff …”; rows of a size and rates that end in /s",
        "O_DIRECT and O_SYNC for every test",
        "1",
        "align: mean over 7 places of the shortest of 8 reads; rates: bytes over the time inside all writes of a row",
        "flashbench.c, vm.c, dev.c",
        target="device",
    ),
    Tool(
        "dd",
        Dd,
        "the line with bytes, seconds and a rate, in any language",
        "none, unless its command line says oflag=direct, oflag=dsync or conv=fsync",
        "1",
        "bytes over seconds; without conv=fsync a write may still be in the memory of the host",
        "coreutils dd.c",
    ),
    Tool(
        "hdparm",
        Hdparm,
        "“Timing … reads: … MB in … seconds = … MB/sec”",
        "reads only; through the page cache, unless it says O_DIRECT",
        "1, with read-ahead by the host where it is buffered",
        "reads of 2 MiB from the start of the device for three seconds; MB are 2^20 bytes",
        "hdparm.c",
        target="device",
    ),
    Tool(
        "fio",
        Fio,
        "“read: IOPS=…, BW=…” (3), “read : io=…, bw=…” (2), JSON with “fio version”, terse lines “3;fio-…”",
        "as its options say: direct, sync, fsync, end_fsync; none of them by default",
        "iodepth times the number of jobs; 1 a job with engines that wait for each request",
        "bytes over the job's time; latencies are clat, from submission to completion",
        "fio HOWTO; stat.c",
    ),
    Tool(
        "fio table",
        FioTable,
        "“Block Size | 4k (IOPS) | …” with rows Read, Write, Randread, Randwrite",
        "not told by the table",
        "not told by the table",
        "what a script made of fio's numbers; IOPS times the block size tell what its megabyte is",
        "the tables themselves",
    ),
    Tool(
        "agnostics",
        Agnostics,
        "“seq-write;0;0;74557;18”, “Sequential write speed 74557 KB/sec (target …)”",
        "O_DIRECT, fsync at the end of writes",
        "32; 4 before July 2024",
        "fio's rates in KiB/s and operations per second, cut to whole numbers",
        "Raspberry Pi Diagnostics (agnostics), data/sd_bench.fio",
        target="file",
    ),
    Tool(
        "iozone",
        Iozone,
        "the row of numbers below “kB  reclen    write  rewrite    read    reread”",
        "as its flags say: -I O_DIRECT, -o O_SYNC, -e fsync within the time",
        "1",
        "bytes over time for a file of the size in the first column; kB are 1024 bytes",
        "iozone manual; iozone.c",
        target="file",
    ),
    Tool(
        "bonnie++",
        Bonnie,
        "the CSV line “1.97,1.97,host,…”, the table “Version 1.97  ------Sequential Output------”; Bonnie's table",
        "through the page cache; -D O_DIRECT, -b fsync after each write",
        "1; random seeks by five processes",
        "chunks of 8 KiB through a file system; K/sec are 1024 bytes; +++++ was too quick to be timed",
        "bonnie++ bon_csv2html.cpp, manual",
        target="directory",
    ),
    Tool(
        "f3",
        F3,
        "“Average writing speed: … MB/s”, “Data OK: …”, f3probe's “*Usable* size: …”",
        "fdatasync after each chunk of about a second",
        "1",
        "average over files of 1 GiB; sizes are powers of 1024, blocks of 512 bytes",
        "f3 libflow.c, libutils.c",
        target="file",
    ),
    Tool(
        "h2testw",
        H2testw,
        "“58.5 GByte OK (122845070 sectors)”, “Writing speed: 17.9 MByte/s”",
        "not published",
        "1",
        "average over the whole test; MByte are 2^20 bytes, as the sector counts show",
        "the program's own figures",
        target="file",
    ),
    Tool(
        "crystaldiskmark",
        CrystalDiskMark,
        "“CrystalDiskMark 8.0.4” and rows such as “RND 4KiB (Q= 1, T= 1): 8.914 MB/s [2176.3 IOPS]”",
        "past the page cache; whether it waits for the card is not published",
        "Q times T of each row; 1 where a row names none",
        "one figure for all its runs; MB are 10^6 bytes",
        "the program's own banner; crystalmark.info",
        target="file",
    ),
    Tool(
        "kdiskmark",
        KDiskMark,
        "“KDiskMark (3.1.4): https://…” and rows such as CrystalDiskMark's",
        "past the page cache; whether it waits for the card its text does not say",
        "Q times T of each row",
        "one figure for all its runs; its MB are 10^6 or 1,024,000 bytes, as the operations per second tell",
        "the program's own figures",
        target="file",
    ),
    Tool(
        "ffsb",
        Ffsb,
        "“FFSB version … started” and the table “Op Name  Transactions  Trans/sec”",
        "as its profile says",
        "one for each thread",
        "operations of a mix, at the same time, through a file system",
        "FFSB README",
        target="directory",
    ),
    Tool(
        "pibenchmarks",
        PiBenchmarks,
        "“HDParm  Disk Read  40.22 MB/s” and the rows below it; “FIO results - 4k RandWrite: …”",
        "hdparm, fio and iozone O_DIRECT; dd through the page cache with fsync at the end",
        "fio 64, the others 1",
        "what hdparm, dd, fio and iozone printed, each in its own unit",
        "TheRemote/PiBenchmarks, Storage.sh",
        target="file",
    ),
    Tool(
        "drivespeed",
        DriveSpeed,
        "“DriveSpeed RasPi 1.1” and the table “MB  Write1  Write2 …”",
        "O_DIRECT and O_SYNC; none for the cached files",
        "1",
        "1 MiB blocks in files of 8 and 16 MB; MB/s are 10^6 bytes",
        "Roy Longbottom, Linux Storage Speed Test source",
        target="directory",
    ),
    Tool(
        "fdisk",
        Fdisk,
        "“Disk /dev/…: …, N bytes” in any language; factor's “N: 2 2 …”",
        "measures nothing",
        "measures nothing",
        "the size of the device in bytes",
        "util-linux fdisk.c",
    ),
    Tool(
        "kernel",
        KernelLog,
        "“mmc0: new ultra high speed DDR50 SDHC card at address e624”, “mmcblk0: mmc0:e624 SP32G 29.7 GiB”",
        "measures nothing",
        "measures nothing",
        "bus mode of the slot; the size rounded to three digits, and therefore only about",
        "Linux drivers/mmc/core/bus.c, block.c",
    ),
    Tool(
        "sbc-bench",
        PartialIdentity,
        '“14.8GB "SanDisk SP16G" HS SD card as /dev/mmcblk0: date 07/2015, manfid/oemid: …”',
        "measures nothing",
        "measures nothing",
        "some fields of a CID; without the serial number they tell a model, not a card",
        "ThomasKaiser/sbc-bench, sbc-bench.sh",
    ),
    Tool(
        "debugfs",
        MmcIos,
        "“timing spec:  7 (sd uhs DDR50)” and the lines around it",
        "measures nothing",
        "measures nothing",
        "bus mode, clock, width and voltage of the slot",
        "Linux drivers/mmc/core/debugfs.c",
    ),
)


TARGETS = {tool.name: tool.target for tool in TOOLS}


def new_readers() -> Iterator[Reader]:
    """One reader of each kind, for one text."""
    yield from (tool.reader() for tool in TOOLS)
    yield Ambiguous()
