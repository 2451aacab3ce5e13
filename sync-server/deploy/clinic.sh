#!/usr/bin/env bash
# Sets up a clinic: 50 people who share one address, with one invitation; each registers, logs in,
# records a meal and syncs. Prints how long it took.
#
#     sync-server/deploy/clinic.sh [PEOPLE]
#
# It uses a server and a folder of its own, and removes both.
set -euo pipefail
cd "$(dirname "$0")/../.."

people=${1:-50}
programs=$(swift build --show-bin-path)
folder=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait
    rm -rf "$folder"
}
trap stop EXIT

"$programs/sync-server" --data "$folder/data" --listen 127.0.0.1:0 --registration invite \
    >"$folder/address" 2>"$folder/log" &
server=$!
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$folder/address")
    [ -n "$address" ] && break
    sleep 0.1
done
[ -n "$address" ] || { cat "$folder/log" >&2; exit 1; }

started=$SECONDS
code=$("$programs/sync-server" invite create --uses "$people" --days 1 --data "$folder/data" --json |
    sed -n 's/.*"code": *"\([^"]*\)".*/\1/p')
for number in $(seq "$people"); do
    email=person$number@example.org
    export MACROLOG_DB=$folder/$number.db
    password="a long enough phrase of $number words"
    "$programs/macrolog" auth register "$email" --server "$address" --invite "$code" \
        --password-stdin <<<"$password" >/dev/null
    "$programs/macrolog" auth login "$email" --server "$address" --device "phone $number" \
        --password-stdin <<<"$password" >/dev/null
    "$programs/macrolog" quick "$((number * 10))kcal" >/dev/null
    "$programs/macrolog" sync >/dev/null
done
echo "$people people set up, each with a device and a meal, in $((SECONDS - started)) s:"
"$programs/sync-server" user usage --data "$folder/data" | head -n 4
