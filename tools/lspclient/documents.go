package lspclient

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

const (
	// maxOpen is how many files are kept open in a server; the one that was
	// used longest ago is closed for another.
	maxOpen = 30

	// doubtTime is how long a server may take to tell that a change of other
	// files changed what it finds in one. Where nothing changed it may say
	// nothing.
	doubtTime = 2 * time.Second

	// maxWatched bounds the files whose times are looked at.
	maxWatched = 20_000
)

// document is a file as the server knows it.
type document struct {
	text    string
	version int
	used    time.Time
	before  int // s.counter when this version was sent

	// doubt is until when an older telling may be outdated, since other files
	// changed.
	doubt time.Time
}

// show makes the server know a file with this text.
func (s *session) show(ctx context.Context, path, text string) (*document, error) {
	d := s.docs[path]
	if d != nil && d.text == text {
		d.used = time.Now()
		return d, nil
	}
	s.mu.Lock()
	number := s.counter
	s.mu.Unlock()
	if d == nil {
		if err := s.makeRoom(ctx); err != nil {
			return nil, err
		}
		d = &document{text: text, version: 1, used: time.Now(), before: number}
		s.docs[path] = d
		return d, s.notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": uriOf(path), "languageId": s.languageID(path), "version": d.version, "text": text,
		}})
	}
	s.doubtAll()
	*d = document{text: text, version: d.version + 1, used: time.Now(), before: number}
	return d, s.notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(path), "version": d.version},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

func (s *session) languageID(path string) string {
	if id := languageIDs[strings.ToLower(filepath.Ext(path))]; id != "" {
		return id
	}
	return s.o.Server.Language
}

func (s *session) makeRoom(ctx context.Context) error {
	if len(s.docs) < maxOpen {
		return nil
	}
	oldest := ""
	for path, d := range s.docs {
		if oldest == "" || d.used.Before(s.docs[oldest].used) {
			oldest = path
		}
	}
	return s.hide(ctx, oldest)
}

// hide lets the server read a file from disk again.
func (s *session) hide(ctx context.Context, path string) error {
	delete(s.docs, path)
	return s.notify(ctx, "textDocument/didClose", map[string]any{"textDocument": textDocument{uriOf(path)}})
}

// refresh brings the server in step with the disk: the open files but for
// written, and by their times the others that it may have read.
func (s *session) refresh(ctx context.Context, written string) error {
	for path, d := range s.docs {
		if path == written {
			continue
		}
		text, err := s.o.Read(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = s.hide(ctx, path)
		case err == nil && string(text) != d.text:
			_, err = s.show(ctx, path, valid(text))
		default:
			err = nil // what cannot be read just now stays as it was
		}
		if err != nil {
			return err
		}
	}
	return s.tellChanges(ctx)
}

// valid makes a text fit for JSON.
func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	time time.Time
}

// buildFiles are files besides the sources that servers read.
var buildFiles = map[string]bool{
	"go.mod": true, "go.sum": true, "go.work": true, "package.json": true, "tsconfig.json": true, "jsconfig.json": true,
	"pyproject.toml": true, "pyrightconfig.json": true, "Cargo.toml": true, "Cargo.lock": true,
	"compile_commands.json": true, "compile_flags.txt": true, "CMakeLists.txt": true, ".clangd": true,
}

// notWatched are folders of many files that rarely change.
var notWatched = map[string]bool{".git": true, "node_modules": true, ".venv": true, "venv": true, "target": true, "__pycache__": true}

// scan notes the state of the project's files that the server may have read.
func (s *session) scan() map[string]stamp {
	files := map[string]stamp{}
	seen := 0
	// Folders that cannot be read are passed over, as a server does.
	_ = filepath.WalkDir(s.o.Dir, func(path string, e fs.DirEntry, err error) error {
		if seen++; seen > maxWatched {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil
		case e.IsDir() && notWatched[e.Name()]:
			return fs.SkipDir
		case !e.Type().IsRegular() || !buildFiles[e.Name()] && !s.o.Server.serves(path):
			return nil
		}
		if info, err := e.Info(); err == nil {
			files[path] = stamp{info.Size(), info.ModTime()}
		}
		return nil
	})
	return files
}

// The kinds of changes of files in the protocol.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// tellChanges tells the server which files changed since it was told last:
// through commands, other tools or the user.
func (s *session) tellChanges(ctx context.Context) error {
	now := s.scan()
	var changes []any
	others := false // of which the server has only the disk
	add := func(path string, kind int) {
		others = others || s.docs[path] == nil
		changes = append(changes, map[string]any{"uri": uriOf(path), "type": kind})
	}
	for path, state := range now {
		was, known := s.watched[path]
		switch {
		case !known:
			add(path, fileCreated)
		case was != state:
			add(path, fileChanged)
		}
	}
	for path := range s.watched {
		if _, still := now[path]; !still {
			add(path, fileDeleted)
		}
	}
	s.watched = now
	if len(changes) == 0 {
		return nil
	}
	if others {
		s.doubtAll()
	}
	return s.notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
}

// doubtAll notes that what was told of the open files may be outdated. A file
// of which nothing was told since it was shown is awaited anyway.
func (s *session) doubtAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, d := range s.docs {
		if told := s.told[path]; told.number > d.before && told.fits(d.version) {
			d.before, d.doubt = s.counter, time.Now().Add(doubtTime)
		}
	}
}
