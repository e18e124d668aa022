package tools

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// buffers is an editor with open files. It saves what is written through it.
type buffers struct {
	p        *project
	open     map[string]string // text by real path
	noRead   bool
	noWrite  bool
	asked    []string
	received string
}

func withEditor(p *project) *buffers {
	b := &buffers{p: p, open: map[string]string{}}
	p.files.Editor = b
	p.box, _ = NewToolbox(ToolboxOptions{}, NewReadFile(p.files), NewWriteFile(p.files), NewEditFile(p.files))
	return b
}

func (b *buffers) ReadText(_ context.Context, path string) (string, error) {
	b.asked = append(b.asked, "read "+path)
	text, ok := b.open[path]
	if b.noRead || !ok {
		return "", errors.New("not here")
	}
	return text, nil
}

func (b *buffers) WriteText(_ context.Context, path, text string) error {
	b.asked = append(b.asked, "write "+path)
	if b.noWrite {
		return errors.New("not here")
	}
	b.open[path], b.received = text, text
	return os.WriteFile(path, []byte(text), 0o600)
}

func TestUnsavedChangesAreSeen(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.go": "package a\n"})
	b := withEditor(p)
	b.open[p.path("a.go")] = "package a\n\nvar unsaved int\n"

	wants(t, p.read("a.go"), OK, "var unsaved int")
	wants(t, p.edit("a.go", "var unsaved int", "var saved int"), OK)
	if got, want := p.get("a.go"), "package a\n\nvar saved int\n"; got != want || b.received != want {
		t.Errorf("on disk %q, in the editor %q, want %q", got, b.received, want)
	}
	wants(t, p.write("a.go", "package b\n"), OK, "1 line in place of 3")
	wants(t, p.write("new.go", "package n\n"), OK, "created")
	if b.received != "package n\n" {
		t.Errorf("the editor was given %q", b.received)
	}
	b.open[p.path("a.go")] = "package b // typed meanwhile\n"
	wants(t, p.write("a.go", "package c\n"), Failed, "has changed on disk since you read it")
}

// What was typed between the question and the answer is not overwritten.
func TestEditorIsBoundToWhatWasShown(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.go": "package a\n"})
	b := withEditor(p)
	b.open[p.path("a.go")] = "package a\n"
	tool, plan, err := p.plan("edit_file", `{"path":"a.go","edits":[{"old":"package a","new":"package b"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	b.open[p.path("a.go")] = "package a // typed meanwhile\n"
	wants(t, tool.Run(t.Context(), plan, nil), Failed, "nothing was written")
	if got := p.get("a.go"); got != "package a\n" || b.received != "" {
		t.Errorf("on disk %q, in the editor %q", got, b.received)
	}
}

func TestWithoutEditorTheDiskCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name            string
		noRead, noWrite bool
		want            string // after x became y in the file, which the editor has with one more line
	}{
		{"it reads nothing", true, true, "y\n"},
		{"it writes nothing", false, true, "y\nunsaved\n"},
		{"it only writes, and would lose what is unsaved", true, false, "y\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"a.txt": "x\n"})
			b := withEditor(p)
			b.noRead, b.noWrite = tc.noRead, tc.noWrite
			b.open[p.path("a.txt")] = "x\nunsaved\n"
			wants(t, p.edit("a.txt", "x", "y"), OK)
			if got := p.get("a.txt"); got != tc.want || b.received != "" {
				t.Errorf("on disk %q, in the editor %q, want %q", got, b.received, tc.want)
			}
		})
	}
}

// An editor that holds plain lines does not take line breaks, the byte order
// mark or the last line break away.
func TestEditorKeepsTheShapeOfFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, disk, held, want string }{
		{"CRLF", "x\r\nb\r\n", "x\nb\n", "y\r\nb\r\n"},
		{"byte order mark", byteOrderMark + "x\n", "x\n", byteOrderMark + "y\n"},
		{"last line break", "x\nb\n", "x\nb", "y\nb\n"},
		{"last line break of unsaved text", "x\n", "x\nb", "y\nb\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"a.txt": tc.disk})
			withEditor(p).open[p.path("a.txt")] = tc.held
			wants(t, p.edit("a.txt", "x", "y"), OK)
			if got := p.get("a.txt"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The editor is asked about ordinary files of the project alone: what is
// secret, protected, elsewhere, large or no text is read and judged as without
// it.
func TestEditorIsNotAskedBeyondTheProject(t *testing.T) {
	t.Parallel()
	outside := newProject(t, map[string]string{"other.txt": "x\n"})
	p := newProject(t, map[string]string{
		".env": "KEY=1\n", ".git/config": "x\n", "a.bin": "a\x00b", "latin.txt": "caf\xe9\n", "large.txt": strings.Repeat("x\n", maxEdited),
	})
	b := withEditor(p)
	for _, name := range []string{".env", ".git/config", "a.bin", "latin.txt", "large.txt", "none.txt", outside.path("other.txt")} {
		p.read(name)
		p.edit(name, "x", "y")
	}
	if len(b.asked) > 0 {
		t.Errorf("asked: %s", b.asked)
	}
}
