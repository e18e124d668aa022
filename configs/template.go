package configs

import (
	"bytes"
	"strings"
)

// templateHead stands over the file that "mm config init" writes.
const templateHead = `# The configuration of mm. What is left out, or commented out as below, keeps
# its default or the value of the model's profile: take the "#" before a key
# away to set it. A key inside of a section needs its section.
#
# "mm config" shows what is in force, and where each value comes from.
`

// Template is a file for the user to begin with: every key with its default,
// commented out, so that nothing hides a profile's value.
func Template() []byte {
	var b bytes.Buffer
	b.WriteString(templateHead)
	_, body, _ := bytes.Cut(defaults, []byte("\n")) // without its own title
	for line := range strings.Lines(string(body)) {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			b.WriteByte('#')
		}
		b.WriteString(line)
	}
	return b.Bytes()
}
