#!/bin/sh
# assemble.sh DIRECTORY [IMAGE]: a repository of add-ons, complete, as Home Assistant takes it: publish it with git, or
# copy its folder `cardbench` to /addons of a Home Assistant. With the name of an image nothing is built there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
addon=$1/cardbench
mkdir -p "$addon/engine"
cp "$here/repository.yaml" "$1"
cp -R "$here/addon/." "$addon"
cp "$here/../../engine/"*.[ch] "$here/../../engine/Makefile" "$addon/engine"
tar -C "$here/../.." --exclude=__pycache__ --exclude=bin -cf - cardbench | tar -C "$addon" -xf -
[ -z "${2:-}" ] || echo "image: $2" >> "$addon/config.yaml"
