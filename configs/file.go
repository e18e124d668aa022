package configs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a configuration file, in bytes.
const maxFile = 1 << 20

// need says whether a file must be there.
type need bool

const (
	optional need = false
	required need = true
)

// file is a configuration file that was read.
type file struct {
	name string
	data []byte
	root *yaml.Node // nil when the file is empty
}

// readFile reads and parses a file, or returns nil for one that is not there
// and need not be. Files that others than the user may write are refused.
func readFile(name string, must need) (*file, error) {
	if name == "" {
		return nil, nil
	}
	data, err := readBounded(name, exposed)
	if errors.Is(err, fs.ErrNotExist) && must == optional {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	f := &file{name: name, data: data}
	return f, f.parse()
}

// parse reads the YAML of a file. Its errors name file and line.
func (f *file) parse() error {
	var doc yaml.Node
	if err := yaml.Unmarshal(f.data, &doc); err != nil {
		return fmt.Errorf("%s: not YAML: %s", f.line(err), strings.TrimPrefix(errLine.ReplaceAllString(err.Error(), ""), "yaml: "))
	}
	if len(doc.Content) > 0 {
		f.root = doc.Content[0]
	}
	return nil
}

// errLine is the line in an error of the YAML library.
var errLine = regexp.MustCompile(`line (\d+): `)

// line is the file with the line of an error of the YAML library, which leaves
// the first line unsaid, and those of encodings and anchors.
func (f *file) line(err error) string {
	switch at := errLine.FindStringSubmatch(err.Error()); {
	case at != nil:
		return f.name + ":" + at[1]
	case !utf8.Valid(f.data) || strings.Contains(err.Error(), "anchor"):
		return f.name
	}
	return f.name + ":1"
}

// layer is the file without any judgement of its values.
func (f *file) layer() layer {
	if f == nil {
		return layer{}
	}
	return layer{root: f.root, origin: func(line int) string { return fmt.Sprintf("%s:%d", f.name, line) }}
}

// exposedError says that others may write a file.
type exposedError struct{ name, why, cure string }

func (e *exposedError) Error() string {
	return fmt.Sprintf("%s %s, so it is not read: %s", e.name, e.why, e.cure)
}

// readBounded reads a regular file of bounded size, unless check refuses it.
func readBounded(name string, check func(string, fs.FileInfo) error) ([]byte, error) {
	// Opening a pipe would wait for a writer, so its kind is asked first.
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := check(name, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return data, err
}
