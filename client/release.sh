#!/bin/sh
# Packs cardbench.pyz and the engines of `make release` into client/dist, and signs each with KEY, which stays off every site.
set -eu
cd "$(dirname "$0")"
mkdir -p dist
rm -f dist/*.sig
python3 pack.py dist/cardbench.pyz
for engine in engine/build/*/cardbench-engine; do
	cp "$engine" "dist/cardbench-engine-$(basename "$(dirname "$engine")")"
done
cd dist
[ -z "${KEY:-}" ] && exit
signers=$(mktemp)
trap 'rm -f "$signers"' EXIT INT TERM
PYTHONPATH=.. python3 -c 'from cardbench.cli.release import SIGNER; print(SIGNER)' > "$signers"
for file in cardbench.pyz cardbench-engine-*; do
	ssh-keygen -Y sign -q -f "$KEY" -n file "$file"
	ssh-keygen -Y verify -q -f "$signers" -n file -I release -s "$file.sig" < "$file"
done
