//go:build unix && !(linux && (amd64 || arm64))

package sandbox

func signalsKeptIn() bool { return false }
