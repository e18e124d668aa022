"""Counts of a "go test -json" log: packages, tests, subtests, skips, failures."""
import collections
import json
import sys

count = collections.Counter()
failed, skipped, output = [], [], collections.defaultdict(list)
for line in open(sys.argv[1], encoding="utf-8"):
    try:
        event = json.loads(line)
    except ValueError:
        if "--failed-packages" not in sys.argv:
            print(line, end="")  # a build's own message
        continue
    name = (event.get("Package", ""), event.get("Test", ""))
    action = event["Action"]
    if action == "output":
        output[name].append(event["Output"])
    elif action == "build-output" and "--failed-packages" not in sys.argv:
        print(event["Output"], end="")
    elif action in ("pass", "fail", "skip"):
        kind = "package" if not name[1] else "subtest" if "/" in name[1] else "test"
        count[kind, action] += 1
        if action == "fail":
            failed.append(name)
        if action == "skip" and name[1]:
            skipped.append(name)
if "--failed-packages" in sys.argv:
    print(*sorted({name[0] for name in failed}))
    sys.exit()
for name in failed:
    print("FAIL", *name)
    if "--failures" in sys.argv:
        print("".join(output[name]))
for name in skipped:
    print("skipped", *name, "".join(output[name]).strip().splitlines()[-1:])
for kind in ("package", "test", "subtest"):
    print(f"{kind}s: {count[kind, 'pass']} passed, {count[kind, 'fail']} failed, {count[kind, 'skip']} skipped")
