package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mm/llm"
)

// discoverTimeout bounds each probe; all run at once.
const discoverTimeout = 300 * time.Millisecond

// Found is a server that answers.
type Found struct {
	Provider, BaseURL string
	APIKey            string // from the environment, for OPENAI_BASE_URL alone
	Why               string // a short phrase for the user
}

// candidate is a server to probe.
type candidate struct {
	provider, base, key, why string
}

// Discover probes the known local servers at once, and those that
// OLLAMA_HOST and OPENAI_BASE_URL name, and returns the first that answers in
// the order of the providers' table. env is os.Getenv. The error is a
// *llm.Error when none answers.
func Discover(ctx context.Context, env func(string) string) (Found, error) {
	client := httpClient(nil, localProxy(nil))
	defer client.CloseIdleConnections()
	return discover(ctx, client, candidates(env))
}

// candidates lists what to probe, in the order of preference.
func candidates(env func(string) string) []candidate {
	var list []candidate
	for _, p := range providers {
		c := candidate{provider: p.Name, base: p.BaseURL, why: "it answers at " + p.BaseURL}
		switch p.Name {
		case Ollama:
			if host := env("OLLAMA_HOST"); host != "" {
				c.base, c.why = ollamaBase(host), "OLLAMA_HOST names it"
			}
		case OpenAI:
			c.base, c.key = env("OPENAI_BASE_URL"), env("OPENAI_API_KEY")
			c.why = "OPENAI_BASE_URL names it"
		}
		if c.base != "" {
			list = append(list, c)
		}
	}
	return list
}

// ollamaBase turns the forms of OLLAMA_HOST into a base URL: host, host:port,
// :port, or a URL. The address to listen on everywhere is reached by loopback.
func ollamaBase(host string) string {
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "http", host
	}
	rest = strings.TrimRight(rest, "/")
	rest = strings.Replace(rest, "0.0.0.0", "127.0.0.1", 1)
	rest = strings.Replace(rest, "[::]", "[::1]", 1)
	if strings.HasPrefix(rest, ":") {
		rest = "127.0.0.1" + rest
	}
	if port := rest[strings.LastIndexByte(rest, ']')+1:]; !strings.Contains(port, ":") {
		rest += ":11434"
	}
	return scheme + "://" + rest
}

func discover(ctx context.Context, client *http.Client, list []candidate) (Found, error) {
	answers := make([]chan bool, len(list))
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	for i, c := range list {
		answers[i] = make(chan bool, 1)
		go func() { answers[i] <- c.answers(ctx, client) }()
	}
	found := -1
	for i, answer := range answers {
		// All are waited for, so that no probe outlives the call.
		if ok := <-answer; ok && found < 0 {
			found = i
			cancel()
		}
	}
	if found >= 0 {
		c := list[found]
		return Found{Provider: c.provider, BaseURL: c.base, APIKey: c.key, Why: c.why}, nil
	}
	var tried []string
	for _, c := range list {
		tried = append(tried, fmt.Sprintf("%s (%s)", c.provider, c.base))
	}
	return Found{}, &llm.Error{
		Kind:    llm.Unreachable,
		Message: "no local model server answers; tried " + strings.Join(tried, ", "),
	}
}

// answers reports whether an OpenAI-compatible server is there: it lists its
// models, is still loading one, or wants a key.
func (c candidate) answers(ctx context.Context, client *http.Client) bool {
	probe := New(Options{Provider: c.provider, BaseURL: c.base, APIKey: c.key, HTTPClient: client})
	var list modelList
	err := probe.get(ctx, "models", &list)
	if err == nil {
		return list.Data != nil || list.Object == "list"
	}
	fault, ok := errors.AsType[*llm.Error](err)
	return ok && (fault.Kind == llm.LoadingModel || fault.Kind == llm.Unauthorized)
}
