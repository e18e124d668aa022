package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// branch is the branch of the repository around a directory, with "*" when a
// file differs from what git has staged; empty outside of repositories. The
// files of git are read as they are: git itself would run what a hostile
// repository configures.
func branch(dir string) string {
	for {
		if root := filepath.Join(dir, ".git"); exists(root) {
			return branchOf(dir, gitDir(root))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// gitDir follows the file ".git" of a worktree or a submodule.
func gitDir(root string) string {
	to, ok := strings.CutPrefix(string(small(root, 4<<10)), "gitdir: ")
	if !ok {
		return root
	}
	to = strings.TrimSpace(to)
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(root), to)
	}
	return to
}

// small reads a regular file of at most limit bytes, or nothing.
func small(path string, limit int64) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil
	}
	return data
}

func branchOf(tree, git string) string {
	head := strings.TrimSpace(string(small(filepath.Join(git, "HEAD"), 4<<10)))
	name, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if !ok {
		name = head[:min(len(head), 8)]
	}
	if name != "" && changed(tree, filepath.Join(git, "index")) {
		name += "*"
	}
	return name
}

// Limits of the look for changes: bytes of the index, and of all files that
// must be read since their times alone tell nothing.
const (
	maxIndex = 32 << 20
	maxRead  = 32 << 20
)

// changed reports whether a file of the working tree differs from the index. An
// index that it cannot read says nothing.
func changed(tree, index string) bool {
	info, err := os.Stat(index)
	data := small(index, maxIndex)
	if err != nil || len(data) < 12+sha1.Size || string(data[:4]) != "DIRC" {
		return false
	}
	body := data[:len(data)-sha1.Size]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], data[len(body):]) {
		return false // cut, or of another kind of hash
	}
	version, n := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	c := comparison{tree: tree, written: info.ModTime(), left: maxRead}
	path := []byte{}
	for body = body[12:]; n > 0; n-- {
		e, size := parseEntry(body, path, version)
		if size == 0 {
			return false
		}
		if c.differs(e) {
			return true
		}
		body, path = body[size:], e.path
	}
	return false
}

// entry is a file as the index knows it.
type entry struct {
	modified   time.Time
	mode, size uint32
	hash       []byte
	flags      uint16
	path       []byte
	sparse     bool // not in the working tree on purpose
}

// The parts of an entry, in bytes; bits of its flags.
const (
	entryFixed  = 62
	flagValid   = 0x8000 // taken for unchanged on the user's word
	flagMore    = 0x4000
	flagStage   = 0x3000 // of a conflict
	flagSparse  = 0x4000 // of the second flags
	kindOfFile  = 0o170000
	kindRegular = 0o100000
)

// parseEntry reads the entry at the start of b, whose path may be written by its
// difference to the one before. Its length is 0 when it is not whole.
func parseEntry(b, before []byte, version uint32) (e entry, size int) {
	if len(b) < entryFixed+2 || version < 2 || version > 4 {
		return e, 0
	}
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[i:]) }
	e = entry{
		modified: time.Unix(int64(word(8)), int64(word(12))), mode: word(24), size: word(36),
		hash: b[40:60], flags: binary.BigEndian.Uint16(b[60:]),
	}
	at := entryFixed
	if e.flags&flagMore != 0 && version > 2 {
		e.sparse = binary.BigEndian.Uint16(b[at:])&flagSparse != 0
		at += 2
	}
	if version == 4 {
		drop := 0
		for more := true; more; at++ {
			if at >= len(b) || drop > len(before) {
				return e, 0
			}
			drop = drop<<7 | int(b[at]&0x7f)
			if more = b[at]&0x80 != 0; more {
				drop++
			}
		}
		if drop > len(before) {
			return e, 0
		}
		e.path = bytes.Clone(before[:len(before)-drop])
	}
	end := bytes.IndexByte(b[at:], 0)
	if end < 0 {
		return e, 0
	}
	e.path = append(e.path, b[at:at+end]...)
	size = at + end + 1
	if version < 4 {
		size = (at + end + 8) / 8 * 8
	}
	if size > len(b) {
		return e, 0
	}
	return e, size
}

// comparison compares entries with the files.
type comparison struct {
	tree    string
	written time.Time // of the index
	left    int64     // bytes that may still be read
}

func (c *comparison) differs(e entry) bool {
	if e.flags&flagStage != 0 {
		return true
	}
	if e.flags&flagValid != 0 || e.sparse || e.mode&kindOfFile != kindRegular || !filepath.IsLocal(string(e.path)) {
		return false
	}
	path := filepath.Join(c.tree, filepath.FromSlash(string(e.path)))
	info, err := os.Lstat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return true
	case e.size != 0 && uint32(info.Size()) != e.size:
		return true
	case info.ModTime().Equal(e.modified) && e.modified.Before(c.written):
		return false
	}
	if c.left -= info.Size(); c.left < 0 {
		return false
	}
	data := small(path, info.Size())
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return !bytes.Equal(h.Sum(nil), e.hash)
}
