// Package noquery keeps Bubble Tea from asking the terminal for its colours
// while the program's packages are being initialised. The question would go
// out on every start, even of "mm -version", its late answer would be read as
// typed keys, and a terminal that never answers would hold the start back for
// five seconds.
//
// Go initialises packages in the order of their import paths, as soon as what
// they import is ready. This package imports only "os", so that it comes
// before Bubble Tea, which needs packages of the standard library that sort
// behind it. What it changes, Restore puts back when all packages are ready.
package noquery

import "os"

var (
	term    string
	was     bool
	changed bool
)

// The library asks nothing of a terminal of this type.
const dumb = "dumb"

func init() {
	term, was = os.LookupEnv("TERM")
	changed = os.Setenv("TERM", dumb) == nil
}

// Restore puts the environment back as it was. It must be called from an init
// function of a package that imports Bubble Tea.
func Restore() {
	if !changed {
		return
	}
	changed = false
	if was {
		_ = os.Setenv("TERM", term) // it could be set a moment ago
		return
	}
	_ = os.Unsetenv("TERM")
}
