"""Parse the output of hdparm -t and -T: reads of 2 MiB in sequence from the start of the device for three seconds.

See time_device in hdparm.c. MB are 2^20 bytes and kB 2^10. "cached" measures the memory of the host (with --direct, the
same 2 MiB of the device again and again), not the card as a whole, so it is only kept in `extra`.
"""

from submissions.domain.intake.slots import Found, Table, count_bytes, noise, row

_READ = {"direction": "read", "order": "sequential", "block_size_bytes": 2 * 1024**2, "queue_depth": 1}


class Hdparm(Table):
    tool = "hdparm"

    @row(
        '["“]?Timing {_kind:buffered disk|O_DIRECT disk|cached|O_DIRECT cached|buffer-cache} reads:'
        " {_volume:count} {_unit:[kMG]}B in {_time:time} = {throughput:binary_rate}…"
    )
    def timing(self, found: Found) -> bool | None:
        """Add a rate that hdparm printed, if it equals volume over time.

        The volume is in whole megabytes, the time in hundredths of a second.
        """
        rate, unit = found["throughput"], count_bytes(1, f"{found['_unit']}iB")
        printed, seconds = count_bytes(rate.value, rate.unit), found["_time"].value
        if not printed or not seconds:
            return False
        if abs(found["_volume"] * unit / seconds - printed) > 0.02 * printed + unit:
            return False
        io = "direct" if found["_kind"].startswith("O_DIRECT") else "buffered"
        workload = "hdparm" if "cach" in found["_kind"] else "stream"
        self.measure(workload, found, **_READ, io=io)
        return None

    @row("/dev/{device:word}:")
    def device(self, found: Found) -> None:
        self.scene.device = found["device"]

    # Settings of the device, and commands that a card does not know.
    lines = noise(
        "(?:multcount|readonly|readahead|IO_support|geometry|nowerr|keepsettings|using_dma|unmaskirq) = ?.{1,120}",
        r"SG_IO: bad/missing sense data, sb\[\]:[ 0-9a-f]{1,200}",
        r"HDIO_\w{1,30}\(\w{1,20}\) failed: .{1,60}",
    )
