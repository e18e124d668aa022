package term

import (
	"errors"
	"io"
	"log"
	"os"
)

// Diversion sends what is printed into a file while the screen is up: by
// libraries, by children that inherited the descriptors, by the run-time.
type Diversion struct {
	// Screen is the terminal that the screen is drawn on. It stays open as
	// long as the diversion lasts.
	Screen *os.File

	file   *os.File
	writer io.Writer // of package log
	fds    diverted
}

// Divert sends the log package and the descriptors of standard output and
// standard error to a file. With no name all of it is dropped. out is the
// terminal, as a rule standard output itself.
func Divert(name string, out *os.File) (*Diversion, error) {
	if name == "" {
		name = os.DevNull
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	d := &Diversion{Screen: out, file: f, writer: log.Writer()}
	if err := d.divert(out); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	log.SetOutput(f)
	return d, nil
}

// Restore puts everything back.
func (d *Diversion) Restore() error {
	err := d.restore()
	log.SetOutput(d.writer)
	return errors.Join(err, d.file.Close())
}
