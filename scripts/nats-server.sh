#!/usr/bin/env bash
# `scripts/nats-server.sh [FOLDER]`: a nats-server for the tests of a venue over several cores, unpacked into a folder
# (node_modules/.cache/nats-server), without touching the system. Prints the path of the program. What is there already is kept.
#
# Which    that of a later Debian, as this one's is too old (docs/scale.md): NATS_SUITE, trixie unless told otherwise
# Where    the mirror of the machine's own apt sources, or DEBIAN_MIRROR where the machine has none
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-node_modules/.cache/nats-server}
suite=${NATS_SUITE:-trixie}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
program="$folder/root/usr/sbin/nats-server"
if [ -x "$program" ]; then
  echo "$program"
  exit
fi

# Sources come as `deb [options] ADDRESS suite …` lines and as `URIs: ADDRESS` fields.
sources() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true
}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=${DEBIAN_MIRROR:-$(
  sources | grep -v '^ *#' | grep -oE '(^deb +(\[[^]]*\] +)?|^URIs: *)https?://[^ ]+' | grep -oE 'https?://[^ ]+' |
    grep '/debian/*$' | grep -v security | head -n 1
)}
if [ -z "$mirror" ]; then
  echo 'nats-server: no Debian mirror in the apt sources of this machine: set DEBIAN_MIRROR' >&2
  exit 1
fi

mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$folder/sources.list"
apt=(apt-get -qq
  -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$folder/lists"
  -o Dir::Cache="$folder/cache" -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root)
"${apt[@]}" update >&2
(cd "$folder" && "${apt[@]}" download nats-server >/dev/null)
dpkg -x "$folder"/nats-server_*.deb "$folder/root"
rm -rf "$folder/lists" "$folder/cache" "$folder"/nats-server_*.deb
echo "$program"
