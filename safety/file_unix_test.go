//go:build unix

package safety

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesAreRefusedAndNeverBlock(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	p := resolve(t, w, "pipe", Read) // as if it was made after the check
	if err := syscall.Mkfifo(filepath.Join(w.Dir(), "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadFile(p, 0); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v, want ErrNotRegular", err)
	}
	if got := resolve(t, w, "pipe", Read); got.Class != Refused {
		t.Errorf("class %d (%s), want refused", got.Class, got.Reason)
	}
}

// What stands in the place of a file after the check is never written to, and
// never waited for.
func TestWhatTookAFilesPlaceIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(t *testing.T, path string){
		"a pipe": func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a socket": func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { _ = l.Close() })
		},
		"a folder": func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"a link to a device": func(t *testing.T, path string) { link(t, "/dev/null", path) },
		"a link to itself":   func(t *testing.T, path string) { link(t, filepath.Base(path), path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := project(t)
			path := filepath.Join(w.Dir(), "new.txt")
			p := resolve(t, w, "new.txt", Write)
			put(t, path)
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Replace(p, []byte("x"), nil, 0o644); err == nil {
				t.Error("the write was carried out")
			}
			if _, err := w.ReadFile(p, 100); err == nil {
				t.Error("it was read")
			}
			if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
				t.Errorf("it became %v, %v", after, err)
			}
			// Looked at anew, it is refused, or asked as what it is.
			again, err := w.Resolve("new.txt", Write)
			if err == nil && again.Class == Inside {
				t.Errorf("resolved again: %+v", again)
			}
			leftovers(t, w.Dir())
		})
	}
}

func TestReadStaysInsideWhenAFolderIsSwapped(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	write(t, filepath.Join(w.Dir(), "src", "secret.txt"), "inside\n")
	p := resolve(t, w, "src/secret.txt", Read)
	src := filepath.Join(w.Dir(), "src")
	if err := os.RemoveAll(src); err != nil {
		t.Fatal(err)
	}
	link(t, outside, src)
	if f, err := w.ReadFile(p, 0); !errors.Is(err, ErrChanged) {
		t.Errorf("got %+v, %v, want ErrChanged", f, err)
	}
	// The same without the first check, as if the swap came right after it.
	if f, err := (place{root: w.root, rel: "src/secret.txt"}).read(0); err == nil {
		t.Errorf("the opened root followed the link out: %q", f.Data)
	}
}

func TestHardLinksOutsideKeepTheirContent(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	inside := filepath.Join(w.Dir(), "linked.txt")
	if err := os.Link(filepath.Join(outside, "secret.txt"), inside); err != nil {
		t.Skip("no hard links here:", err)
	}
	p := resolve(t, w, "linked.txt", Write)
	if err := w.Replace(p, []byte("mine"), []byte("outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(outside, "secret.txt")); got != "outside\n" {
		t.Errorf("the outside file holds %q", got)
	}
}

// Windows into the kernel are refused whatever leads there, and also when they
// come late.
func TestKernelFilesAreNotRead(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	p := resolve(t, w, "late", Read)
	link(t, "/proc/self/environ", filepath.Join(w.Dir(), "late"))
	if f, err := w.ReadFile(p, 0); err == nil {
		t.Errorf("read %d bytes", len(f.Data))
	}
	for _, named := range []string{"late", "/proc/self/../self/environ", "/dev/fd/0", "/dev/stdin"} {
		if p, err := w.Resolve(named, Read); err == nil && p.Class != Refused {
			t.Errorf("%s: %+v", named, p)
		}
	}
}
