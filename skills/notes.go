package skills

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
)

const (
	// notesFile is the name under which projects keep what agents should know
	// (agents.md).
	notesFile = "AGENTS.md"

	// maxNotes bounds what is read of it, in bytes.
	maxNotes = 256 << 10
)

// ProjectNotes returns the project's instructions for agents: the nearest
// AGENTS.md from dir upwards to root, which is dir or above it. An empty root
// is that of the repository around dir, or dir where there is none. path is the
// file, "" when there is none.
//
// The instructions are the project's word: the caller asks whether it is
// trusted, and bounds them with CutNotes. A link that leads out of root is an
// error.
func ProjectNotes(dir, root string) (text, path string, err error) {
	if dir, err = realPath(dir); err != nil {
		return "", "", err
	}
	if root == "" {
		root = repository(dir)
	} else if root, err = realPath(root); err != nil {
		return "", "", err
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", "", fmt.Errorf("project notes: %s is not in %s", dir, root)
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return "", "", fmt.Errorf("project notes: %w", err)
	}
	defer r.Close()
	for {
		name := filepath.Join(rel, notesFile)
		data, err := readNotes(r, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("project notes %s: %w", filepath.Join(root, name), err)
		}
		if text := strings.TrimSpace(plainNotes(data)); text != "" {
			return text, filepath.Join(root, name), nil
		}
		if rel == "." {
			return "", "", nil
		}
		rel = filepath.Dir(rel)
	}
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("project notes: %w", err)
	}
	return abs, nil
}

// repository returns the nearest folder from dir upwards that holds a .git,
// or dir.
func repository(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// readNotes reads a regular file within the opened folder, without waiting for
// a pipe.
func readNotes(r *os.Root, name string) ([]byte, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" {
		flags |= syscall.O_NONBLOCK
	}
	f, err := r.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return io.ReadAll(io.LimitReader(f, maxNotes))
}

// plainNotes makes text of a file's bytes.
func plainNotes(data []byte) string {
	text := strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\uFEFF")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\x00", "")
}

// CutNotes bounds instructions to max characters, its last line about the cut
// included.
func CutNotes(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	const more = "\n[cut here; read_file " + notesFile + " shows the rest]"
	room := max - len(more)
	if room <= 0 {
		return ""
	}
	end := 0
	for i := range text {
		if room--; room < 0 {
			break
		}
		end = i
	}
	if line := strings.LastIndexByte(text[:end], '\n'); line > 0 {
		end = line
	}
	return strings.TrimRight(text[:end], "\n ") + more
}
