package safety

import "testing"

func TestPrefix(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test ./...":                        "go test",
		"go test -run X -v ./... 2>&1":         "go test",
		"go test ./... 2>&1 | tail -20":        "go test",
		"go test ./... | grep -v ok | head -5": "go test",
		"go test ./a && go test ./b":           "go test",
		"npm run build >/dev/null":             "npm run",
		"git commit -m 'a message'":            "git commit",

		"go test ./... && go build":       "", // two beginnings
		"go test -exec sh ./...":          "",
		"go test -exec=sh ./...":          "",
		"go test --exec sh ./...":         "",
		"go build -toolexec ./evil":       "",
		"go vet -vettool=./evil":          "",
		"go test ./... > out":             "",
		"go test ./... | tee out":         "",
		"go test ./... | sh":              "",
		"go test ./... | cat main.go":     "",
		"go test ./... | sort -o main.go": "",
		"go test ./... &":                 "",
		"go test $(x)":                    "",
		"go test $X":                      "",
		"A=1 go test":                     "",
		"cd a && go test":                 "",
		"go test; rm -rf .":               "",
		"tail x | go test":                "",
		"head -5 x":                       "",
		"(go test)":                       "",
		"f() { go test; }":                "",
		"go run x":                        "",
		"git push origin":                 "",
		"npx x y":                         "",
		"bash -c x":                       "",
		"sudo go test":                    "",
		"go":                              "",
		"":                                "",
		"go test (":                       "",
	} {
		if got := Prefix(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
