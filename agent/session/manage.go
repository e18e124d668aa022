package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mm/llm"
)

// Rename gives a session another title.
func (s *Store) Rename(id, title string) error {
	sess, err := s.Load(id)
	if err != nil {
		return err
	}
	sess.Title = title
	return s.Save(sess)
}

// Delete removes a session, unless another process has it open.
func (s *Store) Delete(id string) error {
	release, err := s.Lock(id)
	if err != nil {
		return err
	}
	defer release()
	if err := os.Remove(filepath.Join(s.dir, id+".json")); err != nil {
		return fmt.Errorf("there is no session %s", id)
	}
	return nil
}

// Search lists the sessions whose title or messages hold all words of query,
// letter case aside, the last used first. Damaged sessions match nothing.
func (s *Store) Search(query string) ([]Entry, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(query))
	var found []Entry
	for _, e := range list {
		if e.Err != nil {
			continue
		}
		sess, err := s.Load(e.ID)
		if err != nil {
			continue // removed in the meantime
		}
		if holdsAll(sess, words) {
			found = append(found, e)
		}
	}
	return found, nil
}

func holdsAll(sess *Session, words []string) bool {
	var b strings.Builder
	b.WriteString(strings.ToLower(sess.Title))
	for _, item := range sess.Items {
		b.WriteString("\n" + strings.ToLower(item.Text))
	}
	text := b.String()
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Markdown writes a session as a document: what was said, the calls with
// their results in fences.
func (sess *Session) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nSession %s in %s\n", orUntitled(sess.Title), sess.ID, sess.Cwd)
	for _, item := range sess.Items {
		switch {
		case item.Note:
		case item.Summary:
			fmt.Fprintf(&b, "\n## Summary of earlier turns\n\n%s\n", item.Text)
		case item.Role == llm.User:
			text := item.Shown
			if text == "" {
				text = item.Text
			}
			fmt.Fprintf(&b, "\n## You\n\n%s\n", text)
		case item.Role == llm.Assistant && item.Text != "":
			fmt.Fprintf(&b, "\n## mm\n\n%s\n", item.Text)
		case item.Role == llm.Tool:
			fence := fenceFor(item.Text)
			fmt.Fprintf(&b, "\n**%s** %s: %s\n\n%s\n%s\n%s\n", item.Tool, code(item.Title), item.Status, fence, strings.TrimRight(item.Text, "\n"), fence)
		}
	}
	return b.String()
}

func orUntitled(title string) string {
	if title == "" {
		return "Untitled"
	}
	return title
}

// fenceFor is a fence longer than any run of backquotes in text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// code is text as inline code, on one line.
func code(text string) string {
	return "`" + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'") + "`"
}
