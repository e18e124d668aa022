package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mm/safety"
)

// place is what may be written: one file or device, or a folder with all that
// is below it.
type place struct {
	path   string
	device bool
	folder bool
}

// devices may be written by commands of the tiers that write: they hold
// nothing. Terminals are among them, since tests make their own.
var devices = []string{
	"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
}

var deviceFolders = []string{"/dev/pts", "/dev/shm"}

// caches are where tools keep what they downloaded and built. They are made
// when the program is there, since a confined command could not make them.
// Nothing in them is on PATH or read as settings.
var caches = []struct {
	program  string
	variable string // names the folder; "" or unset: below home
	below    string // of the variable's folder
	home     string // relative to the home folder
	file     bool
}{
	{program: "go", variable: "GOCACHE", home: ".cache/go-build"},
	{program: "go", variable: "GOMODCACHE", home: "go/pkg/mod"},
	{program: "go", variable: "GOPATH", below: "pkg", home: "go/pkg"},
	{program: "npm", variable: "npm_config_cache", home: ".npm"},
	{program: "yarn", variable: "YARN_CACHE_FOLDER", home: ".cache/yarn"},
	{program: "pnpm", home: ".local/share/pnpm/store"},
	{program: "cargo", variable: "CARGO_HOME", below: "registry", home: ".cargo/registry"},
	{program: "cargo", variable: "CARGO_HOME", below: "git", home: ".cargo/git"},
	{program: "cargo", variable: "CARGO_HOME", below: ".package-cache", home: ".cargo/.package-cache", file: true},
	{program: "pip", variable: "PIP_CACHE_DIR", home: ".cache/pip"},
	{program: "pip3", variable: "PIP_CACHE_DIR", home: ".cache/pip"},
	{program: "uv", variable: "UV_CACHE_DIR", home: ".cache/uv"},
	{program: "ccache", variable: "CCACHE_DIR", home: ".cache/ccache"},
}

// writable lists what a tier may write.
func writable(t safety.Tier, o Options, temp string) []place {
	list := []place{{path: os.DevNull, device: true}}
	if t == safety.TierRead {
		return list
	}
	for _, d := range devices {
		list = append(list, place{path: d, device: true})
	}
	for _, d := range deviceFolders {
		list = append(list, place{path: d, device: true, folder: true})
	}
	for _, path := range append([]string{o.Project, temp}, o.Write...) {
		list = append(list, place{path: path, folder: isDir(path)})
	}
	for _, p := range cachePlaces(o.Environ) {
		list = append(list, place{path: p, folder: isDir(p)})
	}
	return list
}

// cachePlaces lists the caches of the tools that are installed, and makes
// those that are missing.
func cachePlaces(environ []string) []string {
	get := func(name string) string {
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}
	var out []string
	for _, c := range caches {
		if _, err := exec.LookPath(c.program); err != nil {
			continue
		}
		path := ""
		if value := get(c.variable); c.variable != "" && value != "" {
			path = filepath.Join(filepath.SplitList(value)[0], c.below)
		} else if home := get("HOME"); home != "" {
			path = filepath.Join(home, filepath.FromSlash(c.home))
		}
		if filepath.IsAbs(path) && present(path, c.file) {
			out = append(out, realPath(path))
		}
	}
	return out
}

// present tells whether a cache is there, after making it if it was not.
func present(path string, file bool) bool {
	if !file {
		return os.MkdirAll(path, 0o755) == nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return true
	}
	return err == nil && f.Close() == nil
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// realPath resolves links; what cannot be resolved stays as it is.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
