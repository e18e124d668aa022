package eval

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
)

// verdict is what became of a task.
type verdict struct {
	failures []string // why it is not solved; empty: solved
	left     []string // new files that no check asks for
}

// judge compares the project with what the task wants. before is what was
// unpacked; answer is what the model said in the last turn.
//
// Commands run only when the files and the answer are right, after the hidden
// files were put in place: a test that the model rewrote proves nothing. A
// project that cannot be judged is not solved; an error means that ctx ended.
func (p place) judge(ctx context.Context, t Task, before files, answer string) (verdict, error) {
	after, err := p.read()
	if err != nil {
		return verdict{failures: []string{"the project cannot be read: " + err.Error()}}, ctx.Err()
	}
	v := verdict{failures: damage(t, before, after), left: leftBehind(t, before, after)}
	for _, name := range slices.Sorted(maps.Keys(t.want)) {
		if why := differs(name, after, t.want[name]); why != "" {
			v.failures = append(v.failures, why)
		}
	}
	for _, c := range t.checks {
		if why := c.static(after, answer); why != "" {
			v.failures = append(v.failures, why)
		}
	}
	if len(v.failures) > 0 {
		return v, nil
	}
	if err := p.write(t.hidden); err != nil {
		v.failures = append(v.failures, "the files of the check cannot be put in place: "+err.Error())
		return v, ctx.Err()
	}
	for _, c := range t.checks {
		if c.verb != "run" {
			continue
		}
		if why := p.run(ctx, c.command); why != "" {
			v.failures = append(v.failures, why)
		}
	}
	return v, ctx.Err()
}

// damage lists the files that were changed or removed and must not be.
func damage(t Task, before, after files) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		data, ok := after[name]
		switch {
		case ok && bytes.Equal(data, before[name]) || t.allows(name):
		case ok:
			out = append(out, name+": it was changed and must not be")
		default:
			out = append(out, name+": it was removed and must not be")
		}
	}
	return out
}

// allows tells whether a file may be changed.
func (t Task) allows(name string) bool {
	return slices.ContainsFunc(t.may, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // Parse checked the patterns
		return ok
	})
}

// leftBehind lists new files that neither the task nor a check speaks of.
func leftBehind(t Task, before, after files) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		_, old := before[name]
		asked := slices.ContainsFunc(t.checks, func(c check) bool { return c.file == name })
		if !old && !asked && !t.allows(name) {
			out = append(out, name)
		}
	}
	return out
}

// differs says in which line a file is not as wanted.
func differs(name string, after files, want []byte) string {
	got, ok := after[name]
	switch {
	case !ok:
		return name + ": there is no such file"
	case bytes.Equal(got, want):
		return ""
	case bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))):
		return name + ": only its line endings differ from what is wanted"
	}
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	return fmt.Sprintf("%s: line %d is not as wanted", name, lineOf(want, n))
}

func limited(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxFile)) }
