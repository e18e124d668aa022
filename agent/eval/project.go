package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mm/skills"
	"mm/tools/proc"
)

const (
	// commandTimeout bounds one command of a check: a test suite of a few
	// small files, with a compiler that starts cold.
	commandTimeout = 2 * time.Minute

	// maxFile bounds a file that is judged, in bytes. A larger one counts as
	// its first bytes.
	maxFile = 8 << 20

	// shownOutput is how much of a failing command's output is reported, in
	// bytes.
	shownOutput = 400
)

// place is a task's project on the disk.
type place struct {
	dir    string
	skills string // folder for the skills of the task, outside of dir
	runner *proc.Runner
}

// byProducts are names that tools and interpreters leave in a project: they
// are neither damage nor part of a result.
var byProducts = []string{".git", ".mm", "__pycache__", "*.pyc", ".pytest_cache", "node_modules", ".gocache"}

// unpack writes the task's project into an empty folder, and its skills beside
// it.
func (p place) unpack(ctx context.Context, t Task) error {
	if len(t.base) > 0 {
		if err := p.write(t.base); err != nil {
			return err
		}
		if err := p.commit(ctx); err != nil {
			return err
		}
	}
	return errors.Join(p.write(t.project), writeFiles(p.skills, t.skills))
}

// layers are the skills of the task itself.
func (p place) layers(t Task) []skills.Layer {
	if len(t.skills) == 0 {
		return nil
	}
	return []skills.Layer{{Name: "task", FS: os.DirFS(p.skills), Dir: p.skills}}
}

func (p place) write(set files) error { return writeFiles(p.dir, set) }

// writeFiles writes into a folder, and never through a link out of it: a model
// may have worked there.
func writeFiles(dir string, set files) error {
	if len(set) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.RemoveAll(name); err != nil {
			return err
		}
		if err := root.WriteFile(name, set[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// commit makes the folder a git repository with one commit of what is in it,
// independent of the user's own settings.
func (p place) commit(ctx context.Context) error {
	for _, command := range []string{
		"git init -q",
		"git config user.name Tester && git config user.email tester@example.invalid",
		"git config commit.gpgsign false && git config core.autocrlf false && git config core.hooksPath .git/no-hooks",
		"git add . && git commit -q -m 'first version'",
	} {
		if wrong := p.run(ctx, command); wrong != "" {
			return fmt.Errorf("prepare the repository: %s", wrong)
		}
	}
	return nil
}

// read returns the files of the project without by-products. What is not a
// regular file does not count.
func (p place) read() (files, error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := files{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && isByProduct(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		data, err := readStart(root, name)
		out[name] = data
		return err
	})
	return out, err
}

func isByProduct(name string) bool {
	return slices.ContainsFunc(byProducts, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // the patterns are constants and valid
		return ok
	})
}

func readStart(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limited(f)
}

// remove removes a folder, whatever the rights in it.
func remove(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	// What cannot be opened up, the second try names.
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// run runs a command in the project and says what is wrong when it does not
// succeed, or returns an empty string.
func (p place) run(ctx context.Context, command string) string {
	out, err := p.runner.Run(ctx, proc.Command{Line: command, Dir: p.dir, Env: checkEnv(), Timeout: commandTimeout})
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %v", command, err)
	case out.Cause == proc.TimedOut:
		return fmt.Sprintf("%s: not over after %s", command, commandTimeout)
	case out.Cause != proc.Exited:
		return fmt.Sprintf("%s: was stopped", command)
	case out.ExitCode != 0:
		return strings.TrimSpace(fmt.Sprintf("%s: exit %d\n%s", command, out.ExitCode, tailOf(out.Output)))
	}
	return ""
}

// tailOf is the end of an output, from the start of a line.
func tailOf(o proc.Output) string {
	text := strings.TrimSpace(string(append(slices.Clip(o.Head), o.Tail...)))
	if len(text) <= shownOutput {
		return text
	}
	text = text[len(text)-shownOutput:]
	if _, rest, ok := strings.Cut(text, "\n"); ok {
		text = rest
	}
	return strings.ToValidUTF8(text, "")
}

// checkEnv is the environment of commands: the user's, without what would
// reach the network, another project, or leave files behind.
func checkEnv() []string {
	return append(os.Environ(),
		"GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=",
		"PYTHONDONTWRITEBYTECODE=1", "NO_COLOR=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
	)
}
