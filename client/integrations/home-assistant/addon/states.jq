# What `cardbench watch --json` and, if there is one, a report of `cardbench run --workload sync` become in Home
# Assistant: one state a line. What a card does not say has none.
def state($entity; $name; $value; $more): select($value != null)
  | {entity: $entity, state: ($value | tostring), attributes: ({friendly_name: $name} + $more)};
def median: sort | .[length / 2 | floor];
def number($unit): {unit_of_measurement: $unit, state_class: "measurement", icon: "mdi:sd"};

def watched:
  state("binary_sensor.card_near_its_end"; "Card near its end"; if .near_its_end then "on" else "off" end;
    {device_class: "problem", said: (.said | join(" "))}),
  state("sensor.card_life_used"; "Card: life used"; .life_used_percent; number("%")),
  state("sensor.card_days_left"; "Card: days left at this rate"; .days_left | arrays | .[0] | floor; number("d")),
  state("sensor.card_written"; "Card: written since first seen"; .written_bytes;
    {unit_of_measurement: "B", device_class: "data_size", state_class: "total_increasing"});

# How long one write of 4 KiB and its fsync take in 99 of 100 cases, in the middle one of the repeats.
def measured: . as $report | .measurements[]
  | select(.metric == "latency_p99" and .parameters.sync == "fsync_each" and .parameters.block_size_bytes == 4096)
  | state("sensor.card_fsync_p99"; "Card: fsync, 99 %"; .values | median / 1e6 * 100 | round / 100;
      number("ms") + {measured_at: $report.run.started_at, doubts: ($report.run.doubts // [])});

.[] | if .measurements then measured else watched end
