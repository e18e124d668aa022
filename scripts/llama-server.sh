#!/usr/bin/env bash
# Puts a real llama-server (llama.cpp) into a cache folder and prints the path
# of a program that runs it. Nothing is installed on the machine: the packages
# of Debian's unstable release are unpacked beside the C library they want.
#
# Usage: scripts/llama-server.sh [FOLDER]
#
# FOLDER is ${XDG_CACHE_HOME:-~/.cache}/mm-real/llama.cpp unless given. Needs
# apt-get and dpkg, and about 60 MB; fetches only when the server is missing.
set -euo pipefail

die() {
	echo "llama-server.sh: $*" >&2
	exit 1
}

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/mm-real/llama.cpp}
server=$folder/llama-server

works() { [[ -x $server ]] && "$server" --version >/dev/null 2>&1; }

# apt works on lists, archives and a status file of its own in the folder, so
# that it resolves every dependency and leaves the machine's state alone.
fetch() {
	local mirror
	# shellcheck disable=SC2016 # apt-get itself expands REPO_URI
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -E '/debian/?$' | head -n 1) || true
	[[ -n $mirror ]] || die "no Debian mirror among this machine's apt sources; install llama.cpp yourself and set LLAMA_SERVER"
	mkdir -p "$folder"/{etc,lists/partial,debs/partial,root}
	: >"$folder/status"
	echo "deb $mirror sid main" >"$folder/etc/sources.list"
	local apt=(
		apt-get -qq
		-o "Dir::Etc::sourcelist=$folder/etc/sources.list"
		-o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::Lists=$folder/lists"
		-o "Dir::State::status=$folder/status"
		-o "Dir::Cache::archives=$folder/debs"
		-o Acquire::Languages=none
		-o APT::Install-Recommends=false
	)
	"${apt[@]}" update >&2 || die "the package lists of $mirror could not be read"
	"${apt[@]}" -y --download-only install llama.cpp-tools >&2 || die "llama.cpp-tools could not be downloaded"
	local deb
	for deb in "$folder"/debs/*.deb; do
		dpkg -x "$deb" "$folder/root"
	done
}

# llama.cpp looks for its processor back ends beside the running program. That
# program is the dynamic loader here, since the machine's own C library may be
# older than the packages.
wrap() {
	local lib loader
	lib=$folder/root/usr/lib/$(uname -m)-linux-gnu
	loader=$(find "$folder/root/usr/lib64" "$lib" -name 'ld-linux*.so.*' 2>/dev/null | head -n 1) || true
	[[ -n $loader ]] || die "the packages hold no dynamic loader for $(uname -m)"
	ln -sf "$lib"/ggml/backends0/*.so "$(dirname "$(readlink -f "$loader")")/"
	cat >"$server" <<-RUN
		#!/bin/sh
		exec "$loader" --library-path "$lib:$lib/llama:$lib/ggml:$lib/ggml/backends0" "$folder/root/usr/bin/llama-server" "\$@"
	RUN
	chmod +x "$server"
}

if ! works; then
	for tool in apt-get dpkg; do
		command -v "$tool" >/dev/null || die "needs $tool (Debian or a system made from it); elsewhere install llama.cpp and set LLAMA_SERVER"
	done
	fetch
	wrap
	works || die "the server does not start: $("$server" --version 2>&1 | tail -n 3)"
fi
echo "$server"
