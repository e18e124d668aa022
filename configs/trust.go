package configs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
)

// trustList maps the path of a project's file to the hash of the text that the
// user trusts.
type trustList map[string]string

// readTrust reads the list. Without one, nothing is trusted; one that others
// may write is no list.
func readTrust(name string) (trustList, error) {
	if name == "" {
		return nil, nil
	}
	data, err := readBounded(name, exposed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("trusted projects: %w", err)
	}
	var list trustList
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("trusted projects: %s is damaged, so nothing is trusted: %w", name, err)
	}
	return list, nil
}

// Trusted lists the project files that the user trusts, with their hashes.
func Trusted(trustFile string) (map[string]string, error) { return readTrust(trustFile) }

// editTrust changes the list and writes it anew. Files whose folder is gone are
// dropped.
func editTrust(name string, change func(trustList)) error {
	if name == "" {
		return errors.New("this system names no folder for configuration: set HOME")
	}
	list, err := readTrust(name)
	if err != nil {
		return err
	}
	if list == nil {
		list = trustList{}
	}
	maps.DeleteFunc(list, func(path, _ string) bool {
		_, err := os.Lstat(filepath.Dir(path))
		return errors.Is(err, fs.ErrNotExist)
	})
	change(list)
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(name, append(data, '\n'))
}

// replaceFile writes a file of the user's at once or not at all.
func replaceFile(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error above is the one to tell
	}
	return err
}
