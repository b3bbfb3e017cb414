#!/bin/sh
# Looks after the card that /data lies on: asks it once a day how worn it is, measures it in a file of its own once a
# month, and tells Home Assistant both by MQTT. The broker keeps what it is told, also for a restart of Home Assistant.
set -u
data=${DATA:-/data} supervisor=${SUPERVISOR:-http://supervisor} pause_s=${PAUSE_S:-900}
here=$(dirname "$0")
tried=$(mktemp -d)/tried
export XDG_CONFIG_HOME="${tried%/*}"

option() { jq --raw-output ".$1 // empty" "$data/options.json"; }

newer() { [ -n "$(find "$1" -name "$2" -mmin "-$3")" ]; } # DIRECTORY NAME MINUTES: whether there is such a file

look() {
    python3 -m cardbench watch "$data" --history "$data/history" --json > "$data/next.json"
    case $? in # 7: its end is near
        0 | 7) mv "$data/next.json" "$data/watched.json" ;;
        *) echo "The card could not be asked; tried again in $pause_s s." ;;
    esac
}

measure() {
    touch "$tried" # should it fail, not again before tomorrow
    report=$data/reports/$(date -u +%F).json
    nice python3 -m cardbench run "$data" --workload sync --json -o "$data/next.json" > /dev/null || return
    mv "$data/next.json" "$report"
    server=$(option server)
    [ -z "$server" ] || python3 -m cardbench submit "$report" --server "$server"
}

# Where the broker is, as options of mosquitto_pub: not among its arguments, which every program here can read.
find_broker() {
    curl --silent --show-error --fail --max-time 30 --header "Authorization: Bearer $SUPERVISOR_TOKEN" \
        "$supervisor/services/mqtt" | jq --raw-output '.data | "-h \(.host)", "-p \(.port)",
        (.username // empty | "-u \(.)"), (.password // empty | "-P \(.)"), (select(.ssl) | "--capath /etc/ssl/certs")' \
        > "$XDG_CONFIG_HOME/mosquitto_pub"
    [ -s "$XDG_CONFIG_HOME/mosquitto_pub" ] || { echo "No MQTT broker is known; asked again in $pause_s s."; return 1; }
}

tell() {
    newest=$(find "$data/reports" -name '????-??-??.json' | sort | tail -n 1)
    cat "$data/watched.json" "${newest:-/dev/null}" | jq --slurp --compact-output --from-file "$here/states.jq" |
        while read -r message; do
            topic=$(printf %s "$message" | jq --raw-output .topic)
            printf %s "$message" | jq --join-output --compact-output .payload |
                mosquitto_pub --retain --topic "$topic" --stdin-file && echo "$topic"
        done
}

mkdir -p "$data/reports"
rm -rf "$data"/.cardbench-* # of a measurement that was cut short
while true; do
    newer "$data" watched.json 1430 || look
    newer "$data/reports" '????-??-??.json' $(($(option measure_every_days) * 1440)) ||
        newer "${tried%/*}" tried 1440 || measure
    find_broker && tell
    sleep "$pause_s"
done
