package term

import "os"

// diverted holds what the variables were.
type diverted struct{ stdout, stderr *os.File }

// divert changes the variables: the console has no descriptors to exchange.
func (d *Diversion) divert(*os.File) error {
	d.fds = diverted{os.Stdout, os.Stderr}
	os.Stdout, os.Stderr = d.file, d.file
	return nil
}

func (d *Diversion) restore() error {
	os.Stdout, os.Stderr = d.fds.stdout, d.fds.stderr
	return nil
}
