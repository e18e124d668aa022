//go:build amd64 || arm64

package sandbox

func signalsKeptIn() bool {
	abi, err := landlockABI()
	return err == nil && abi >= 6
}
