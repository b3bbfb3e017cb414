"""Parse the results of GNOME Disks' benchmark, as people copy them from its window.

Samples are taken at places spread over the whole device. MB are 10^6 bytes (GLib's sizes). udisks opens the device with
O_DIRECT and O_SYNC (udiskslinuxblock.c).
"""

from typing import ClassVar

from submissions.domain.intake.slots import Table, figure, noise, state

_RANDOM = {"direction": "read", "order": "random", "queue_depth": 1}


class GnomeDisks(Table):
    tool = "gnome-disks"
    writing: ClassVar = {"sync": "osync"}
    lines = (
        state(r"Sample Size:? {:size} \({block_size_bytes:count} bytes\)"),
        figure(
            r"Average {direction:access} Rate:? {throughput:rate} \({:count} samples\)", "chunk", io="direct"
        ),
        figure(
            r"Average Access Time:? {latency_mean:time} \({:count} samples\)",
            "access",
            io="direct",
            **_RANDOM,
        ),
        *noise("Last Benchmarked .{1,80}"),
    )
