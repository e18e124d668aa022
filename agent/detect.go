package agent

import (
	"cmp"
	"fmt"
	"hash/maphash"
)

// Thresholds of the loop detector.
const (
	loopTimes  = 3  // repetitions that are a loop
	loopMore   = 3  // more of the same in spite of the warning end the turn
	loopPeriod = 3  // longest cycle that is noticed
	loopMemory = 32 // calls that are remembered
	loopCalm   = 6  // calls without a warning that forgive earlier ones
)

// loopLevel is what the detector says of a call.
type loopLevel int

const (
	loopNone   loopLevel = iota
	loopWarned           // the result carries a warning
	loopStuck            // the turn ends
)

// callKey identifies a call: the tool, its normalised arguments, and the path
// that it is about.
type callKey struct{ tool, args, path string }

// seenCall is a call with its result.
type seenCall struct {
	call   uint64 // tool, arguments and result
	near   uint64 // of a refused one: tool, path and result, the text of the call aside
	change bool   // it changed a file

	refused bool
}

// callResult is what came of a call. Refused means that it did not run, or
// that an edit found no place.
type callResult struct {
	output           string
	changed, refused bool
}

// detector notices calls that repeat themselves: the same call with the same
// result, a short cycle of calls, or near-duplicates that are refused in the
// same way. A call with a new result is no loop, and a change of a file lets
// the calls around it start afresh.
type detector struct {
	seed   maphash.Seed
	calls  []seenCall
	count  int // how often the last call was made in the loop that it is part of
	spent  int // warnings given
	calm   int // calls since the last warning
	active bool
}

func newDetector() *detector { return &detector{seed: maphash.MakeSeed()} }

// reset forgets everything: the user said something new.
func (d *detector) reset() { *d = detector{seed: d.seed} }

// warned tells whether the last call was part of a loop.
func (d *detector) warned() bool { return d.active }

// again tells whether the last call was the one before it once more: it ran, and
// gave what was known. A third time is a loop.
func (d *detector) again() bool {
	n := len(d.calls)
	return !d.active && n > 0 && !d.calls[n-1].refused && d.trailing(1, func(c seenCall) uint64 { return c.call }) == loopTimes-1
}

// repeats is how often the last call was made in its loop.
func (d *detector) repeats() int { return d.count }

// saw takes in a call with its result.
func (d *detector) saw(k callKey, r callResult) loopLevel {
	if r.changed {
		d.forgetLooks()
	}
	seen := seenCall{call: d.hash(k.tool, k.args, r.output), change: r.changed, refused: r.refused}
	seen.near = seen.call
	if r.refused {
		seen.near = d.hash(k.tool, k.path, r.output)
	}
	d.calls = append(d.calls, seen)
	if len(d.calls) > loopMemory {
		d.calls = d.calls[1:]
	}
	d.count = d.longest()
	d.active = d.count > 0
	if r.changed && !d.active {
		d.spent = 0
	}
	if !d.active {
		if d.calm++; d.calm >= loopCalm {
			d.spent = 0
		}
		return loopNone
	}
	d.spent, d.calm = d.spent+1, 0
	if d.spent > loopMore {
		return loopStuck
	}
	return loopWarned
}

// forgetLooks drops the calls that changed nothing: after a change they may
// well be made again.
func (d *detector) forgetLooks() {
	kept := d.calls[:0]
	for _, c := range d.calls {
		if c.change {
			kept = append(kept, c)
		}
	}
	d.calls = kept
}

// longest returns how often the loop at the end of the calls was gone through,
// or 0.
func (d *detector) longest() int {
	best := 0
	for period := 1; period <= loopPeriod; period++ {
		n := d.trailing(period, func(c seenCall) uint64 { return c.call })
		if n >= loopTimes*period {
			best = max(best, n/period)
		}
	}
	if n := d.trailing(1, func(c seenCall) uint64 { return c.near }); n >= loopTimes {
		best = max(best, n)
	}
	return best
}

// trailing counts the calls at the end that repeat with the given period.
func (d *detector) trailing(period int, key func(seenCall) uint64) int {
	n := min(period, len(d.calls))
	for n < len(d.calls) {
		at := len(d.calls) - 1 - n
		if key(d.calls[at]) != key(d.calls[at+period]) {
			break
		}
		n++
	}
	return n
}

func (d *detector) hash(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(d.seed)
	for _, p := range parts {
		_, _ = h.WriteString(p) // never fails, by its contract
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// warning is the text that the model reads when it goes round in circles.
func (d *detector) warning(tool string) string {
	suggestion := map[string]string{
		"bash":       "the command will not answer differently; change the command, read the file it is about, or answer with what you know",
		"read_file":  "you have this content already; use it, read another range, or go on to the next step",
		"edit_file":  "read the file again with read_file and copy `old` from it exactly, or choose another place",
		"write_file": "read the file first and change it with edit_file",
	}[tool]
	return fmt.Sprintf("[LOOP_DETECTED: you have made this call %d times with the same result; try a different approach: %s]",
		d.count, cmp.Or(suggestion, "change the arguments, use another tool, or answer with what you know"))
}
