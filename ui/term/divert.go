package term

import (
	"errors"
	"io"
	"log"
	"os"
)

// Diversion sends what libraries print into a file while the screen is up.
type Diversion struct {
	file           *os.File
	stdout, stderr *os.File
	saved          int // a copy of descriptor 2, or -1
	writer         io.Writer
}

// Divert sends the log package, os.Stdout, os.Stderr and descriptor 2, where
// the run-time reports, to a file. The terminal itself stays open as the files
// that the caller holds. With no name all of it is dropped.
func Divert(name string) (*Diversion, error) {
	if name == "" {
		name = os.DevNull
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	d := &Diversion{file: f, stdout: os.Stdout, stderr: os.Stderr, writer: log.Writer()}
	log.SetOutput(f)
	os.Stdout, os.Stderr = f, f
	d.saved = divertStderr(f)
	return d, nil
}

// Restore puts everything back.
func (d *Diversion) Restore() error {
	restoreStderr(d.saved)
	os.Stdout, os.Stderr = d.stdout, d.stderr
	log.SetOutput(d.writer)
	return errors.Join(d.file.Sync(), d.file.Close())
}
