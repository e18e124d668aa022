package agent

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is a call as the detector sees it.
type step struct {
	tool, args, path, out string
	changed, refused      bool
}

func levels(steps ...step) []loopLevel {
	d := newDetector()
	var got []loopLevel
	for _, s := range steps {
		got = append(got, d.saw(callKey{tool: s.tool, args: s.args, path: s.path}, callResult{s.out, s.changed, s.refused}))
	}
	return got
}

func times(n int, steps ...step) []step {
	var out []step
	for range n {
		out = append(out, steps...)
	}
	return out
}

func TestDetector(t *testing.T) {
	t.Parallel()
	ls := step{tool: "bash", args: "ls", out: "a"}
	lsla := step{tool: "bash", args: "ls -la", out: "a b"}
	build := step{tool: "bash", args: "go build", out: "error"}
	edit := func(n int) step {
		return step{tool: "edit_file", args: fmt.Sprint(n), path: "/x", out: "applied", changed: true}
	}
	refused := func(n int) step {
		return step{tool: "edit_file", args: fmt.Sprint(n), path: "/x", out: "not found", refused: true}
	}
	const none, warn, stuck = loopNone, loopWarned, loopStuck
	for _, tc := range []struct {
		name  string
		steps []step
		want  []loopLevel
	}{
		{"the same three times, then three more", times(6, ls), []loopLevel{none, none, warn, warn, warn, stuck}},
		{"a cosmetic variant does not start afresh", append(times(5, ls), times(3, lsla)...), []loopLevel{none, none, warn, warn, warn, none, none, stuck}},
		{"a cycle of two, three times", times(4, ls, lsla), []loopLevel{none, none, none, none, none, warn, warn, warn}},
		{"a cycle of three, three times", times(3, ls, lsla, build), []loopLevel{none, none, none, none, none, none, none, none, warn}},
		{"near-duplicates refused alike", []step{refused(1), refused(2), refused(3), refused(4)}, []loopLevel{none, none, warn, warn}},
		{"commands that say nothing are not alike", []step{{tool: "bash", args: "mkdir a"}, {tool: "bash", args: "mkdir b"}, {tool: "bash", args: "mkdir c"}, {tool: "bash", args: "mkdir d"}}, make([]loopLevel, 4)},
		{"a build after each edit is work", []step{edit(1), build, edit(2), build, edit(3), build, edit(4), build}, make([]loopLevel, 8)},
		{"edits that succeed on one file are work", []step{edit(1), edit(2), edit(3), edit(4)}, make([]loopLevel, 4)},
		{"the same write again and again changes nothing", times(6, step{tool: "write_file", args: "a", path: "/x", out: "no change"}), []loopLevel{none, none, warn, warn, warn, stuck}},
		{"two edits that undo each other end too", times(5, edit(1), edit(2)), []loopLevel{none, none, none, none, none, warn, warn, warn, stuck, stuck}},
		{"polling with a new result is no loop", []step{{tool: "bash", args: "cat log", out: "1"}, {tool: "bash", args: "cat log", out: "2"}, {tool: "bash", args: "cat log", out: "3"}, {tool: "bash", args: "cat log", out: "4"}}, make([]loopLevel, 4)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, levels(tc.steps...)); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRepeatsCountsACycleOnce: what the user and the model read is how often
// the call was made, not how long the cycle is.
func TestRepeatsCountsACycleOnce(t *testing.T) {
	t.Parallel()
	d := newDetector()
	for range 3 {
		for _, args := range []string{"a", "b", "c"} {
			d.saw(callKey{tool: "bash", args: args}, callResult{output: "out"})
		}
	}
	if got := d.repeats(); got != 3 {
		t.Errorf("%d times, want 3", got)
	}
}

// TestAgain: the second of two equal calls is worth a word, before it is a loop.
func TestAgain(t *testing.T) {
	t.Parallel()
	ls := callKey{tool: "bash", args: "ls"}
	same := callResult{output: "a"}
	for _, tc := range []struct {
		name    string
		results []callResult
		want    []bool
	}{
		{"the same result", []callResult{same, same, same}, []bool{false, true, false}},
		{"another result", []callResult{same, {output: "b"}}, []bool{false, false}},
		{"refused", []callResult{{output: "no", refused: true}, {output: "no", refused: true}}, []bool{false, false}},
		{"after a change", []callResult{{output: "ok", changed: true}, same}, []bool{false, false}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDetector()
			for i, r := range tc.results {
				d.saw(ls, r)
				if got := d.again(); got != tc.want[i] {
					t.Errorf("call %d: %v, want %v", i+1, got, tc.want[i])
				}
			}
		})
	}
}
