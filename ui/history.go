package ui

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
)

// Limits of the file of earlier prompts: prompts that are loaded, and the
// size in bytes of one that is kept.
const (
	historyKept = 1000
	historyLine = 64 << 10
)

// loadHistory reads earlier prompts: one JSON string on each line.
func (m *Model) loadHistory() tea.Cmd {
	name := m.opt.HistoryFile
	if name == "" {
		return nil
	}
	return func() tea.Msg {
		prompts, err := readHistory(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return troubleMsg(clean.Linef("read %s: %v", name, err))
		}
		return historyMsg(prompts)
	}
}

func readHistory(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	var prompts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8*historyLine)
	for lines.Scan() {
		var p string
		if json.Unmarshal(lines.Bytes(), &p) == nil && p != "" {
			prompts = append(prompts, p)
		}
		if len(prompts) > 2*historyKept {
			prompts = append(prompts[:0], prompts[historyKept:]...)
		}
	}
	if n := len(prompts); n > historyKept {
		prompts = prompts[n-historyKept:]
	}
	return prompts, lines.Err()
}

// keepPrompt adds a prompt to the file.
func (m *Model) keepPrompt(p string) tea.Cmd {
	name := m.opt.HistoryFile
	if name == "" || len(p) > historyLine {
		return nil
	}
	return func() tea.Msg {
		if err := appendHistory(name, p); err != nil {
			return troubleMsg(clean.Linef("keep the prompt: %v", err))
		}
		return nil
	}
}

func appendHistory(name, p string) error {
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
