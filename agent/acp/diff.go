package acp

import (
	"errors"
	"io"
	"os"
	"strings"

	"mm/agent"
	"mm/fileedit"
)

// maxWhole is the largest file, in bytes, of which a diff holds the whole
// text. Of a larger one it holds the changed places: a message must stay below
// the 10 MiB at which clients end the connection.
const maxWhole = 1 << 20

// moment says which side of a diff is on the disk: the old text when a change
// is planned, the new one when it was carried out.
type moment bool

const (
	planned    moment = false
	carriedOut moment = true
)

// diffs is the content that shows changes of files.
func (t *translator) diffs(p agent.DiffPreview, locations []location, when moment) []content {
	var all []content
	for _, f := range p.Files {
		path := t.absolute(f.Path)
		if len(p.Files) == 1 && len(locations) == 1 {
			path = locations[0].Path
		}
		if before, after, ok := t.whole(f, path, when); ok {
			d := diffContent{Type: "diff", Path: path, OldText: &before, NewText: after}
			if f.Created {
				d.OldText = nil
			}
			all = append(all, d)
			continue
		}
		for _, h := range f.Hunks {
			before := sideOf(h, fileedit.Delete)
			all = append(all, diffContent{Type: "diff", Path: path, OldText: &before, NewText: sideOf(h, fileedit.Insert)})
		}
	}
	return all
}

// whole finds both texts of a changed file: the diff of a new or a deleted
// file holds them, the rest comes from the disk or the client. It returns false
// when these hold neither, or too much. A call that nobody is asked about may be
// carried out before it is shown, so that either text may be there.
func (t *translator) whole(f fileedit.FileDiff, path string, when moment) (before, after string, ok bool) {
	if f.Created || f.Deleted {
		for _, h := range f.Hunks {
			before += sideOf(h, fileedit.Delete)
			after += sideOf(h, fileedit.Insert)
		}
		return before, after, len(before)+len(after) <= maxWhole
	}
	if disk, err := t.read(path); err == nil {
		if before, after, ok = bothSides(disk, f.Hunks, when); ok {
			return before, after, true
		}
	}
	held, ok := t.held(path)
	if !ok || len(held) > maxWhole {
		return "", "", false
	}
	return bothSides(held, f.Hunks, when)
}

// bothSides finds both texts of a change from one of them.
func bothSides(text string, hunks []fileedit.Hunk, when moment) (before, after string, ok bool) {
	forth, isOld := rewrite(text, hunks, fileedit.Delete)
	back, isNew := rewrite(text, hunks, fileedit.Insert)
	if isOld && (when == planned || !isNew) {
		return text, forth, true
	}
	return back, text, isNew
}

// rewrite takes the lines of one side, gone, out of a text and puts the other
// side's in. It returns false when the text is not that side.
func rewrite(text string, hunks []fileedit.Hunk, gone fileedit.Op) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	at := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Op != fileedit.Context && l.Op != gone {
				b.WriteString(raw(l))
				continue
			}
			number := l.Old
			if gone == fileedit.Insert {
				number = l.New
			}
			if number-1 < at || number > len(lines) || lines[number-1] != raw(l) {
				return "", false
			}
			for ; at < number-1; at++ {
				b.WriteString(lines[at])
			}
			if l.Op == fileedit.Context {
				b.WriteString(lines[at])
			}
			at++
		}
	}
	for _, rest := range lines[at:] {
		b.WriteString(rest)
	}
	return b.String(), true
}

// sideOf is the text of a hunk on one side.
func sideOf(h fileedit.Hunk, side fileedit.Op) string {
	var b strings.Builder
	for _, l := range h.Lines {
		if l.Op == fileedit.Context || l.Op == side {
			b.WriteString(raw(l))
		}
	}
	return b.String()
}

// raw is a line of a diff with its line break, as it is in the file.
func raw(l fileedit.Line) string {
	switch {
	case l.NoEOL:
		return l.Text
	case l.CR:
		return l.Text + "\r\n"
	}
	return l.Text + "\n"
}

// readWhole reads a regular file of at most maxWhole bytes.
func readWhole(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxWhole {
		return "", errors.New("not a regular file, or too large")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	if err == nil && len(b) > maxWhole {
		err = errors.New("too large")
	}
	return string(b), err
}
