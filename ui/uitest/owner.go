package uitest

import (
	"context"
	"errors"

	"mm/ui"
)

// Owner is what the owner of the screen offers in scripts.
func Owner() ui.Options {
	return ui.Options{
		Cwd: "/home/user/src/app", Home: "/home/user", Version: "0.0.0-test",
		Owner: ui.Owner{
			Branch: func() string { return "main" },
			Files: func(context.Context) ([]string, error) {
				return []string{"README.md", "main.go", "internal/server/server.go", "internal/server/server_test.go"}, nil
			},
			Models: &ui.Choices{
				Heads: []string{"window", "params", "quant", "file", ""},
				List: func(context.Context) ([]ui.Choice, error) {
					return []ui.Choice{
						{ID: "qwen3.5-4b", Details: []string{"8.2k", "4B", "Q4_K_M", "2.5 GB", "loaded"}, Current: true},
						{ID: "hf.example/somebody/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M", Details: []string{"max 262.1k", "30B-A3B", "Q4_K_M", "18.6 GB", ""}},
						{ID: "gemma-4-e4b", Details: []string{"32.8k", "", "", "", ""}},
					}, nil
				},
				Use: func(context.Context, string) (ui.Core, error) { return nil, nil },
			},
			Providers: &ui.Choices{
				List: func(context.Context) ([]ui.Choice, error) {
					return []ui.Choice{
						{ID: "llamacpp", Details: []string{"http://127.0.0.1:8080/v1"}, Current: true},
						{ID: "ollama", Details: []string{"http://127.0.0.1:11434/v1"}},
					}, nil
				},
				Use: func(context.Context, string) (ui.Core, error) { return nil, nil },
			},
			Sessions: &ui.Sessions{
				List: func(context.Context) ([]ui.Choice, error) {
					return []ui.Choice{
						{ID: "s1", Label: "fix the port", Details: []string{"2026-01-02 10:00", "12 messages", "qwen3.5-4b"}, Current: true},
						{ID: "s2", Label: "write tests of the parser that read what people really write", Details: []string{"2026-01-01 09:00", "4 messages", "gemma-4-e4b"}},
					}, nil
				},
				Open:   func(context.Context, string) (ui.Core, error) { return nil, errors.New("the session is in use") },
				Delete: func(context.Context, string) error { return nil },
			},
			Commands: []ui.Command{
				{Name: "export", Args: "[file]", Help: "write the conversation as Markdown", Run: func(_ context.Context, arg string) (string, error) {
					return "wrote " + arg, nil
				}},
				{Name: "doctor", Help: "what works and what does not", Run: func(context.Context, string) (string, error) {
					return "ok    server    llama.cpp b6000 at http://127.0.0.1:8080/v1\nwarn  window    4096 tokens: start the server with -c 16384\nfail  sandbox   the kernel has no Landlock", nil
				}},
			},
		},
	}
}

// noServer is a start that finds no server.
func noServer(context.Context) (ui.Core, *ui.FirstRun, error) { return nil, firstRun(), nil }

// firstRun is what is shown in scripts without a core.
func firstRun() *ui.FirstRun {
	return &ui.FirstRun{
		Probed: []ui.Probe{
			{Name: "llamacpp", URL: "http://127.0.0.1:8080/v1", Found: "no answer"},
			{Name: "ollama", URL: "http://127.0.0.1:11434/v1", Found: "no answer"},
		},
		Starts: []ui.Start{
			{Name: "llama-server", Command: "llama-server -m MODEL.gguf --jinja -c 16384"},
			{Name: "Ollama", Command: "ollama serve"},
		},
		Retry: func(context.Context) (ui.Core, *ui.FirstRun, error) { return nil, nil, nil },
		Enter: func(_ context.Context, url string) (ui.Core, *ui.FirstRun, error) {
			return nil, nil, errors.New(url + " does not answer")
		},
		Demo: func(context.Context) (ui.Core, error) { return nil, errors.New("no demo in tests") },
	}
}
