package safety

import (
	"fmt"
	"io/fs"
	"syscall"
)

// stateOf is the file's number and the time of the last change of its state.
func stateOf(fi fs.FileInfo) string {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(st.Ino, st.Ctim.Sec, st.Ctim.Nsec)
}
