package ui

import (
	"os"
	"syscall"
)

// deadly are the signals that end the program in good order.
var deadly = []os.Signal{syscall.SIGTERM, os.Interrupt}
