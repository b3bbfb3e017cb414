# What `cardbench watch --json` and, if there is one, a report of `cardbench run --workload sync` become as messages of
# MQTT discovery (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery): of each entity its configuration,
# its attributes and its state, one message a line. What a card does not say has none.
def entity($kind; $key; $name; $value; $form; $attributes): select($value != null)
  | ("homeassistant/" + $kind + "/cardbench/" + $key + "/config" | {topic: ., payload: ({
      name: $name, unique_id: ("cardbench_" + $key), state_topic: ("cardbench/" + $key + "/state"),
      json_attributes_topic: ("cardbench/" + $key + "/attributes"),
      device: {identifiers: ["cardbench"], name: "Card", model: "SD card or eMMC"}} + $form)}),
    {topic: ("cardbench/" + $key + "/attributes"), payload: $attributes},
    {topic: ("cardbench/" + $key + "/state"), payload: $value};
def median: sort | .[length / 2 | floor];
def number($unit): {unit_of_measurement: $unit, state_class: "measurement", icon: "mdi:sd"};

def watched:
  entity("binary_sensor"; "near_its_end"; "Near its end"; if .near_its_end then "ON" else "OFF" end;
    {device_class: "problem"}; {said: (.said | join(" "))}),
  entity("sensor"; "life_used"; "Life used"; .life_used_percent; number("%"); {}),
  entity("sensor"; "days_left"; "Days left"; .days_left | arrays | .[0] | floor; number("d"); {}),
  entity("sensor"; "written"; "Written"; .written_bytes;
    {unit_of_measurement: "B", device_class: "data_size", state_class: "total_increasing"}; {});

# How long one write of 4 KiB and its fsync take in 99 of 100 cases, in the middle one of the repeats.
def measured: . as $report | .measurements[]
  | select(.metric == "latency_p99" and .parameters.sync == "fsync_each" and .parameters.block_size_bytes == 4096)
  | entity("sensor"; "fsync_p99"; "Fsync p99"; .values | median / 1e6 * 100 | round / 100; number("ms");
      {measured_at: $report.run.started_at, doubts: ($report.run.doubts // [])});

.[] | if .measurements then measured else watched end
