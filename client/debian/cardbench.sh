#!/bin/sh
CARDBENCH_ENGINE="${CARDBENCH_ENGINE:-/usr/libexec/cardbench/cardbench-engine}"
PYTHONPATH=/usr/share/cardbench
export CARDBENCH_ENGINE PYTHONPATH
exec /usr/bin/python3 -m cardbench "$@"
