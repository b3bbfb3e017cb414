#!/bin/sh
# Builds the Debian package of what is checked out into a directory, and has lintian look at it.
set -eu
lacking=
for tool in dpkg-buildpackage dh dh_python3 lintian; do
	command -v "$tool" > /dev/null || lacking="$lacking $tool"
done
[ -z "$lacking" ] || {
	echo "make deb lacks:$lacking" >&2
	echo 'On Debian: apt-get install dpkg-dev debhelper dh-python lintian gcc' >&2
	exit 1
}
into=$(mkdir -p "$1" && cd "$1" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT INT TERM
mkdir "$made/cardbench"
git ls-files -z client | xargs -0 tar cf - | tar xf - -C "$made/cardbench" --strip-components=1
cd "$made/cardbench"
DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage --unsigned-source --unsigned-changes > "$made/log" 2>&1 || { tail -n 30 "$made/log" >&2; exit 1; }
lintian --fail-on error,warning --profile debian --allow-root "$made"/*.changes
cp "$made"/cardbench_* "$into"
ls "$into"/cardbench_*.deb
