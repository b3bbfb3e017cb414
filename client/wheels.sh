#!/bin/sh
# wheels.sh DIRECTORY: what the Python Package Index gets: the sources, and a wheel for each machine, whose engine zig
# links statically; what the index would refuse; and recipes/ for Homebrew and Arch Linux. SOURCE: the repository.
set -eu
into=$(mkdir -p "$1" && cd "$1" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT INT TERM
git ls-files -z client | xargs -0 tar cf - | tar xf - -C "$made"
[ -z "${SOURCE:-}" ] || sed -i "s|https://flashdb.example/source|$SOURCE|" "$made/client/pyproject.toml"
python3 -m venv "$made/tools"
"$made/tools/bin/pip" install --quiet --disable-pip-version-check build==1.6.1 twine==7.0.0 ziglang==0.17.1
python=$made/tools/bin/python
"$python" -m build --sdist --outdir "$into" "$made/client" > /dev/null
for target in x86_64:x86_64-linux-musl aarch64:aarch64-linux-musl armv7l:arm-linux-musleabihf; do
    CC="$python -m ziglang cc -target ${target#*:}" "$python" -m build --wheel --outdir "$into" \
        "-C--build-option=--plat-name=linux_${target%%:*}" "$made/client" > /dev/null
done
"$python" -m twine check --strict "$into"/cardbench-*.tar.gz "$into"/cardbench-*.whl
version=$(PYTHONPATH=client "$python" -c 'import cardbench; print(cardbench.__version__)')
sum=$(sha256sum "$into/cardbench-$version.tar.gz")
mkdir -p "$into/recipes"
for recipe in client/recipes/*; do
    sed "s/@VERSION@/$version/; s/@SHA256@/${sum%% *}/" "$recipe" > "$into/recipes/${recipe##*/}"
done
