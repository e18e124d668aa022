//go:build unix && !linux

package ui_test

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
