package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mm/configs"
	"mm/safety/clean"
	"mm/skills"
)

// brought is what a project brings for the model. It came with the project, so
// it counts only where the user trusts this very content.
type brought struct {
	notes   material      // of AGENTS.md
	skills  []skillFolder // nearest first
	unknown []string      // why something cannot be used: one line each, for the user
}

// material is a text of the project, and what the user said of it.
type material struct {
	configs.Text
	text string
}

// skillFolder is a folder of skills.
type skillFolder struct {
	configs.Text
	set skills.Set
}

// brings reads what the project around a folder brings.
func brings(cwd, skillsDir string) brought {
	var b brought
	text, path, err := skills.ProjectNotes(cwd, "")
	if err != nil {
		b.unknown = append(b.unknown, err.Error())
	}
	if path != "" {
		b.notes.text = text
		b.notes.Text = b.examine(path, []byte(text))
	}
	dirs := []string{filepath.Join(".agents", "skills")}
	if filepath.IsLocal(skillsDir) {
		dirs = append([]string{skillsDir}, dirs...)
	}
	for _, dir := range dirs {
		dir = filepath.Join(cwd, dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		set, broken := skills.Load(skills.Layer{Name: "project", FS: os.DirFS(dir), Dir: dir})
		b.unknown = append(b.unknown, broken...)
		if len(set) == 0 {
			continue
		}
		var all bytes.Buffer
		for _, s := range set {
			fmt.Fprintf(&all, "%q %q %q %q\n", s.Name, s.Description, s.Keywords, s.Body)
		}
		b.skills = append(b.skills, skillFolder{b.examine(dir, all.Bytes()), set})
	}
	return b
}

func (b *brought) examine(path string, content []byte) configs.Text {
	t, err := configs.Examine(configs.TrustFile(), path, content)
	if err != nil {
		b.unknown = append(b.unknown, err.Error())
	}
	return t
}

// texts lists all that needs the user's trust.
func (b brought) texts() []configs.Text {
	var list []configs.Text
	if b.notes.Path != "" {
		list = append(list, b.notes.Text)
	}
	for _, f := range b.skills {
		list = append(list, f.Text)
	}
	return list
}

// notesShown is how much of a project's instructions is shown before the
// question, in lines.
const notesShown = 30

// said are lines for the user: what could not be read, and what is not used.
func (b brought) said() []string {
	lines := b.unknown
	for _, t := range b.texts() {
		if !t.Trusted && !t.Declined {
			lines = append(lines, t.Path+` is not used: it came with the project; "mm trust" shows it and asks`)
		}
	}
	return lines
}

// describe tells what the project brings. Its texts are written out: nothing
// in them can hide.
func (b brought) describe() []string {
	var lines []string
	if b.notes.Path != "" {
		text := strings.Split(b.notes.text, "\n")
		lines = append(lines, clean.Visible(b.notes.Path).String()+": instructions for the model:")
		for _, line := range text[:min(len(text), notesShown)] {
			lines = append(lines, "  "+clean.Visible(line).String())
		}
		if len(text) > notesShown {
			lines = append(lines, fmt.Sprintf("  … %d more lines", len(text)-notesShown))
		}
	}
	for _, f := range b.skills {
		lines = append(lines, clean.Visible(f.Path).String()+": skills for the model:")
		for _, s := range f.set {
			lines = append(lines, "  "+clean.Visible(s.Name+": "+s.Description).String())
		}
	}
	return lines
}

// Bounds of a project's instructions in the system prompt, in characters.
const (
	notesShare = 0.1 // of the window
	notesLeast = 1_000
	notesMost  = 12_000
	notesBlind = 4_000 // when the window is unknown
)

// instructions is the part of the system prompt that the project's AGENTS.md
// makes: none without trust.
func (a *app) instructions(b brought) string {
	if !b.notes.Trusted {
		return ""
	}
	room := notesBlind
	if window := a.model.known().ContextWindow; window > 0 {
		room = min(notesMost, max(notesLeast, int(notesShare*charsPerToken*float64(window))))
	}
	return "\n\nPROJECT INSTRUCTIONS (from AGENTS.md)\n" + skills.CutNotes(b.notes.text, room)
}
