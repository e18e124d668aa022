package fileedit

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzApply makes two edits of any file. Whatever they are, nothing panics, no
// byte outside of them changes, and the diff tells all of the change.
func FuzzApply(f *testing.F) {
	for _, c := range readCases(f) {
		second := Edit{}
		if len(c.edits) > 1 {
			second = c.edits[1]
		}
		f.Add([]byte(c.before), c.edits[0].Old, c.edits[0].New, second.Old, second.New)
	}
	f.Add([]byte("a\r\nb\nc\r"), "a\nb", "x\ny\nz", "c\r", "")
	f.Add([]byte(bom+"a\xff\r\n"), "a", "", "\xff", "\r\n")
	f.Fuzz(func(t *testing.T, src []byte, old, fresh, old2, fresh2 string) {
		edits := []Edit{{old, fresh}}
		if old2 != "" || fresh2 != "" {
			edits = append(edits, Edit{old2, fresh2})
		}
		kept := bytes.Clone(src)
		r, err := Apply(src, edits, Options{Path: "f"})
		if !bytes.Equal(src, kept) {
			t.Fatal("the source was changed")
		}
		if err != nil {
			return
		}
		checkResult(t, src, r)
		r.Report()
		checkInverse(t, src, r)
	})
}

// checkInverse makes the inverse of a single edit, where it is a text that is
// in the result once and has its line break or lacks it on both sides.
func checkInverse(t *testing.T, src []byte, r Result) {
	m := r.Matches[0]
	old, fresh := string(r.Text[m.NewStart:m.NewEnd]), string(src[m.Start:m.End])
	switch {
	case len(r.Matches) > 1, old == "", fresh == "", bytes.Contains(src, []byte("\r")),
		strings.HasSuffix(old, "\n") != strings.HasSuffix(fresh, "\n"),
		strings.HasPrefix(old, bom), strings.HasPrefix(fresh, bom),
		len(indexAll(r.Text, []byte(old))) != 1, strings.Contains(old+fresh, "\r"):
		return
	}
	back, err := Apply(r.Text, []Edit{{old, fresh}}, Options{Path: "f"})
	if err != nil || !bytes.Equal(back.Text, src) {
		t.Fatalf("the inverse edit %q to %q gives %q, %v; want %q", old, fresh, back.Text, err, src)
	}
}

// FuzzDiff: carrying out the diff of two texts on the first gives the second.
func FuzzDiff(f *testing.F) {
	for _, c := range readCases(f) {
		f.Add([]byte(c.before), []byte(c.after))
	}
	f.Add([]byte("a"), []byte("a\n"))
	f.Add([]byte(""), []byte("a\r\nb"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		d := Diff("f", before, after)
		if got := replay(before, d); got != string(after) {
			t.Fatalf("the diff of %q and %q gives %q", before, after, got)
		}
		added, removed := 0, 0
		for _, h := range d.Hunks {
			for _, l := range h.Lines {
				switch l.Op {
				case Insert:
					added++
				case Delete:
					removed++
				}
			}
		}
		if added != d.Added || removed != d.Removed {
			t.Errorf("counts %d, %d; the lines say %d, %d", d.Added, d.Removed, added, removed)
		}
	})
}
