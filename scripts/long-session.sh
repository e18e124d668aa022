#!/usr/bin/env bash
# Holds a session of many turns with tools against a running server, and adds up
# what the server had to read. The figures of docs/small-models.md come from it.
#
# Usage: scripts/long-session.sh BASE-URL TURNS [mm flags and MM_ variables...]
#        scripts/long-session.sh http://127.0.0.1:8080/v1 40 MM_CONTEXT_ENABLED=false
#
# Prints a line for each turn (how it ended, model calls, tokens read anew and
# from the cache, tokens in the context) and a sum. The session begins with a
# fact that the last turn asks for. MM names the program, mm of PATH otherwise.
# SCRIPTED=1 says what the scripted model understands (testdata/scripted): it
# reads a file that is another one in each turn.
set -euo pipefail

url=$1 turns=$2
shift 2
mm=$(realpath "$(command -v "${MM:-mm}")")
dir=$(mktemp -d)
cd "$dir"
for i in $(seq 1 8); do
	seq 1 60 | sed "s/.*/def step_${i}_&(x): return x * & + $i/" >"part$i.py"
done
echo 'release codename: heron' >NOTES.txt

ask() {
	env MM_PROVIDER=llamacpp MM_BASE_URL="$url" MM_SAMPLING_MAX_TOKENS=200 "${extra[@]}" \
		timeout 300 "$mm" "${again[@]}" -yolo -json -p "$1" </dev/null 2>>err.txt || true
}

extra=("$@") again=() total="0 0 0"
for t in $(seq 1 "$turns"); do
	n=$((t % 8 + 1)) from=$((t % 5 * 12 + 1))
	case ${SCRIPTED:+scripted}$t in
	scripted*)
		prompt="#read"
		(seq "$t" "$((t + 90))" && echo step-one) >step-one.txt
		;;
	1) prompt="Read the file NOTES.txt" ;;
	"$turns") prompt="What is the release codename that NOTES.txt told?" ;;
	*) prompt="Read lines $from to $((from + 25)) of part$n.py" ;;
	esac
	ask "$prompt" >turn.json
	again=(-continue)
	total=$(python3 - "$t" "$total" <<'PY'
import json, sys
calls = read = cached = used = 0
stop, answer, notes = "no end", "", []
for line in open("turn.json"):
    e = json.loads(line)
    match e["event"]:
        case "step_ended":
            calls += 1
            read += e["usage"]["prompt"] - e["usage"]["cached"]
            cached += e["usage"]["cached"]
        case "context_usage":
            used = e["used"]
        case "text_ended":
            answer = e["text"]
        case "turn_ended":
            stop = e["stop"]
        case "compacted":
            notes.append(e["line"])
sums = [int(x) for x in sys.argv[2].split()]
sums = [sums[0] + read, sums[1] + cached, sums[2] + (stop != "answer")]
print(f"turn {sys.argv[1]:>2}: {stop:<10} {calls} calls, {read:>5} read, {cached:>6} cached, {used:>5} in context  {' '.join(notes)}", file=sys.stderr)
print(f"         {answer[:150]!r}", file=sys.stderr)
print(*sums)
PY
	)
done
read -r anew cached failed <<<"$total"
echo "$turns turns: $anew tokens read, $cached from the cache, $failed turns without an answer"
echo "session and errors: $dir"
