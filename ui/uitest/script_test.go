package uitest

import "testing"

func TestScripts(t *testing.T) {
	t.Parallel()
	RunScripts(t, "testdata/*.txtar")
}
