package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// leftOut is the marker in place of what was cut, with the recipe for reading
// it all the same.
const leftOut = "[... %d lines, %s characters left out; read a range with read_file, or use grep/head ...]"

// Limit bounds a text to about max characters: head and tail stay, the middle
// is counted. It cuts between lines where it can, inside a line where one line
// is too long, and never inside a character. max 0 means no bound.
func Limit(text string, max int) (limited string, cut bool) {
	return limitEnds(text, "", lost{}, max)
}

// lost counts what was not even kept between a head and a tail.
type lost struct{ lines, bytes int64 }

// limitEnds is Limit for a text whose middle is already missing.
func limitEnds(head, tail string, gone lost, max int) (string, bool) {
	if gone == (lost{}) {
		head, tail = head+tail, ""
		if max <= 0 || len(head) <= max || utf8.RuneCountInString(head) <= max {
			return head, false
		}
	}
	if max <= 0 {
		max = len(head) + len(tail)
	}
	room := max - utf8.RuneCountInString(fmt.Sprintf(leftOut, 999999, "999,999,999"))
	if room < 0 {
		room = 0
	}
	if gone == (lost{}) {
		first := cutHead(head, room/2)
		last := cutTail(head[len(first):], room-room/2)
		return join(first, head[len(first):len(head)-len(last)], last, gone), true
	}
	first, last := cutHead(head, room/2), cutTail(tail, room-room/2)
	return join(first, head[len(first):]+tail[:len(tail)-len(last)], last, gone), true
}

// join puts the marker between what stays.
func join(first, middle, last string, gone lost) string {
	lines := int64(strings.Count(middle, "\n")) + gone.lines
	if !strings.HasSuffix(first, "\n") && first != "" {
		first += "\n"
	}
	marker := fmt.Sprintf(leftOut, max(lines, 1),
		thousands(int64(utf8.RuneCountInString(middle))+gone.bytes))
	return first + marker + "\n" + last
}

// cutHead returns the first n characters, ended after a line when that keeps
// at least half of them.
func cutHead(s string, n int) string {
	s = s[:runeOffset(s, n)]
	if i := strings.LastIndexByte(s, '\n') + 1; i > len(s)/2 {
		return s[:i]
	}
	return s
}

// cutTail returns the last n characters, begun at a line when that keeps at
// least half of them.
func cutTail(s string, n int) string {
	total := utf8.RuneCountInString(s)
	if total > n {
		s = s[runeOffset(s, total-n):]
	}
	if i := strings.IndexByte(s, '\n') + 1; total > n && i < len(s)/2 {
		return s[i:]
	}
	return s
}

// runeOffset returns the byte offset of the nth character, or the length.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// thousands writes a number with commas: 14,200.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
