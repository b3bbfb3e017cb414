#!/bin/sh
# Looks after the card that /data lies on: asks it once a day how worn it is, measures it in a file of its own once a
# month, and tells Home Assistant both, again and again, because it forgets such states when it restarts.
set -u
data=${DATA:-/data} core=${CORE:-http://supervisor/core/api} pause_s=${PAUSE_S:-900}
here=$(dirname "$0")
tried=$(mktemp -d)/tried

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

tell() {
    newest=$(find "$data/reports" -name '????-??-??.json' | sort | tail -n 1)
    cat "$data/watched.json" "${newest:-/dev/null}" | jq --slurp --compact-output --from-file "$here/states.jq" |
        while read -r state; do
            entity=$(printf %s "$state" | jq --raw-output .entity)
            printf %s "$state" | jq 'del(.entity)' |
                curl --silent --show-error --fail --max-time 30 --output /dev/null --data @- \
                    --header "Authorization: Bearer $SUPERVISOR_TOKEN" --header 'Content-Type: application/json' \
                    "$core/states/$entity" && echo "$entity $(printf %s "$state" | jq --raw-output .state)"
        done
}

mkdir -p "$data/reports"
rm -rf "$data"/.cardbench-* # of a measurement that was cut short
while true; do
    newer "$data" watched.json 1430 || look
    newer "$data/reports" '????-??-??.json' $(($(option measure_every_days) * 1440)) ||
        newer "${tried%/*}" tried 1440 || measure
    tell
    sleep "$pause_s"
done
