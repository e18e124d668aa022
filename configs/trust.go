package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Text is a text that came with a project and counts only where the user trusts
// it: a configuration, instructions, skills.
type Text struct {
	Path string // real; of a file or a folder
	Hash string // SHA-256 of the content, in hexadecimal

	// Trusted and Declined are what the user said of this very content at this
	// very place. Changed says that he trusted another content.
	Trusted, Declined, Changed bool
}

// declined stands before the hash of a text that the user does not trust.
const declined = "no "

// trustList maps the path of a text to the hash of the content that the user
// trusts, or declined.
type trustList map[string]string

// Examine looks up what the user said of a text. With an error, which is for
// the user, the text is not trusted.
func Examine(trustFile, path string, content []byte) (Text, error) {
	sum := sha256.Sum256(content)
	t := Text{Path: path, Hash: hex.EncodeToString(sum[:])}
	list, err := readTrust(trustFile)
	said := list[path]
	t.Trusted, t.Declined = said == t.Hash, said == declined+t.Hash
	t.Changed = said != "" && !strings.HasPrefix(said, declined) && !t.Trusted
	return t, err
}

// Trust notes in trustFile that the user trusts texts at their places.
func Trust(trustFile string, texts ...Text) error {
	return editTrust(trustFile, func(list trustList) {
		for _, t := range texts {
			list[t.Path] = t.Hash
		}
	})
}

// Decline notes that the user does not trust them, so that he need not be asked
// again.
func Decline(trustFile string, texts ...Text) error {
	return editTrust(trustFile, func(list trustList) {
		for _, t := range texts {
			list[t.Path] = declined + t.Hash
		}
	})
}

// Forget takes back what the user said of texts.
func Forget(trustFile string, texts ...Text) error {
	return editTrust(trustFile, func(list trustList) {
		for _, t := range texts {
			delete(list, t.Path)
		}
	})
}

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

// Trusted lists the paths of the texts that the user trusts, sorted.
func Trusted(trustFile string) ([]string, error) {
	list, err := readTrust(trustFile)
	maps.DeleteFunc(list, func(_, said string) bool { return strings.HasPrefix(said, declined) })
	return slices.Sorted(maps.Keys(list)), err
}

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
