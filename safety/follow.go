package safety

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// maxLinks is how many links one path may pass through; Linux allows 40.
const maxLinks = 40

var errLinks = errors.New("too many links, probably a loop")

// target is where a path leads.
type target struct {
	real   string // absolute; nothing in its existing part is a link
	kernel bool   // the way there passed below /proc, /sys or /dev
}

// follow resolves every link of an absolute path, dangling ones too, and
// appends as it is what does not exist.
func follow(abs string) (target, error) {
	vol := filepath.VolumeName(abs)
	done := vol + string(filepath.Separator)
	todo := parts(abs[len(vol):])
	var t target
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		t.kernel = t.kernel || kernelTree(next)
		fi, err := os.Lstat(next)
		if err != nil {
			// Missing, or in a folder that may not be searched: then
			// the rest cannot be reached either.
			done = filepath.Join(append([]string{next}, todo...)...)
			break
		}
		to, isLink := linkTarget(next, fi)
		if !isLink {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return target{}, errLinks
		}
		if filepath.IsAbs(to) {
			vol := filepath.VolumeName(to)
			done, to = vol+string(filepath.Separator), to[len(vol):]
		}
		todo = append(parts(to), todo...)
	}
	t.real = done
	return t, nil
}

// linkTarget reads a symbolic link; on Windows also a junction, which is not
// marked as one.
func linkTarget(path string, fi fs.FileInfo) (string, bool) {
	link := fi.Mode()&fs.ModeSymlink != 0
	junction := runtime.GOOS == "windows" && fi.Mode()&fs.ModeIrregular != 0
	if !link && !junction {
		return "", false
	}
	to, err := os.Readlink(path)
	return to, err == nil
}

func parts(path string) []string {
	return strings.Split(filepath.ToSlash(path), "/")
}

// kernelTree tells whether a path is in one of the trees whose files are
// windows into the kernel: reading may block or act.
func kernelTree(path string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	for _, tree := range []string{"/proc", "/sys", "/dev"} {
		if _, ok := below(tree, path); ok {
			return true
		}
	}
	return false
}

// strange tells whether a path is a Windows device name, a path in the device
// name space, or one that reaches over the network.
func strange(abs string) bool {
	if runtime.GOOS != "windows" {
		return false
	}
	if strings.HasPrefix(abs, `\\`) {
		return true
	}
	rel := strings.TrimLeft(abs[len(filepath.VolumeName(abs)):], `\/`)
	return rel != "" && !filepath.IsLocal(rel)
}
