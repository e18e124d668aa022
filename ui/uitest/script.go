package uitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"mm/agent"
)

var update = flag.Bool("update", false, "rewrite the frames in testdata")

// RunScripts runs the scripts that match a pattern. A script is a txtar file:
//
//	-- script --
//	size 80x24 40x12       run once for each size; the first line
//	first run              without a core; the second line
//	event KIND {json}      an event; lines in a row make one batch
//	key NAME ...           keys
//	type TEXT              typing, 70 ms a key
//	paste FILE             a section of the archive
//	wait 300ms
//	job COMMAND            the next call leaves it in the background
//	resize 100x30
//	frame NAME             compares with the section "NAME 80x24"
//	picture NAME           compares with docs/images/NAME.svg
func RunScripts(t *testing.T, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts match %s: %v", pattern, err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			run := script{archive: txtar.Parse(data)}
			lines := strings.Split(strings.TrimSpace(string(run.section("script"))), "\n")
			sizes, ok := strings.CutPrefix(lines[0], "size ")
			if !ok {
				t.Fatal("the first line of a script is its sizes")
			}
			for size := range strings.FieldsSeq(sizes) {
				synctest.Test(t, func(t *testing.T) { run.play(t, lines[1:], size) })
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(run.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type event = agent.Event

type script struct{ archive *txtar.Archive }

func (s script) section(name string) []byte {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// set replaces a section, or adds it.
func (s script) set(name string, data []byte) {
	for i, f := range s.archive.Files {
		if f.Name == name {
			s.archive.Files[i].Data = data
			return
		}
	}
	s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: data})
}

func parseSize(t *testing.T, s string) (w, h int) {
	if _, err := fmt.Sscanf(s, "%dx%d", &w, &h); err != nil {
		t.Fatalf("size %q: %v", s, err)
	}
	return w, h
}

func (s script) play(t *testing.T, lines []string, size string) {
	w, h := parseSize(t, size)
	o := Options{W: w, H: h, UI: Owner()}
	var jobs atomic.Pointer[[]string]
	o.UI.Jobs = func() []string {
		if left := jobs.Load(); left != nil {
			return *left
		}
		return nil
	}
	if len(lines) > 0 && lines[0] == "first run" {
		lines, o.NoCore, o.UI.Start = lines[1:], true, noServer
	}
	scr := New(t, o)
	for i := 0; i < len(lines); i++ {
		verb, rest, _ := strings.Cut(strings.TrimSpace(lines[i]), " ")
		switch verb {
		case "", "#":
		case "event":
			i = s.events(scr, lines, i)
		case "key":
			scr.Press(strings.Fields(rest)...)
		case "type":
			scr.Type(rest)
		case "paste":
			scr.Paste(string(s.section(rest)))
		case "job":
			jobs.Store(&[]string{rest})
		case "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			scr.Wait(d)
		case "resize":
			scr.Resize(parseSize(t, rest))
		case "frame":
			s.compare(scr, rest+" "+size)
		case "picture":
			scr.comparePicture(rest)
		default:
			t.Fatalf("line %d: there is no step %q", i+1, verb)
		}
	}
}

// events sends the events of consecutive lines as one batch, and returns the
// last of these lines.
func (s script) events(scr *Screen, lines []string, i int) int {
	var batch []event
	for ; i < len(lines); i++ {
		rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "event ")
		if !ok {
			break
		}
		kind, data, _ := strings.Cut(rest, " ")
		e, err := ParseEvent(kind, []byte(data))
		if err != nil {
			scr.T.Fatalf("line %d: %v", i+1, err)
		}
		batch = append(batch, e)
	}
	scr.Events(batch...)
	return i - 1
}

func (s script) compare(scr *Screen, name string) {
	scr.T.Helper()
	got := scr.Frame()
	if *update {
		s.set(name, []byte(got))
		return
	}
	if d := cmp.Diff(strings.Split(string(s.section(name)), "\n"), strings.Split(got, "\n")); d != "" {
		scr.T.Errorf("frame %s differs (-want +got):\n%s\ngot\n%s", name, d, got)
	}
}
