package openai

import (
	"fmt"
	"net/url"
	"strings"

	"mm/llm"
)

// The providers.
const (
	LlamaCpp = "llamacpp"
	DMR      = "dmr"
	Ollama   = "ollama"
	LMStudio = "lmstudio"
	VLLM     = "vllm"
	OpenAI   = "openai" // any other server; BaseURL is required
)

// Provider says where a provider's server listens by default.
type Provider struct {
	Name string

	// BaseURL is empty when there is no default. Fallback is tried once, for
	// an mm that runs in a container.
	BaseURL, Fallback string
}

// providers in the order in which discovery prefers them.
var providers = []Provider{
	{LlamaCpp, "http://localhost:8080/v1", "http://host.docker.internal:8080/v1"},
	{DMR, "http://localhost:12434/engines/v1", "http://model-runner.docker.internal/engines/v1"},
	{Ollama, "http://localhost:11434/v1", "http://host.docker.internal:11434/v1"},
	{LMStudio, "http://localhost:1234/v1", "http://host.docker.internal:1234/v1"},
	{VLLM, "http://localhost:8000/v1", "http://host.docker.internal:8000/v1"},
	{Name: OpenAI},
}

// Defaults returns what is known of a provider.
func Defaults(provider string) (Provider, bool) {
	for _, p := range providers {
		if p.Name == provider {
			return p, true
		}
	}
	return Provider{}, false
}

// baseURLs returns the address to use, then the fallbacks. Fallbacks exist
// only where the user named no address.
func baseURLs(provider, base string) ([]*url.URL, error) {
	raw := []string{base}
	if base == "" {
		p, ok := Defaults(provider)
		if !ok {
			return nil, badOptions("unknown provider %q", provider)
		}
		if p.BaseURL == "" {
			return nil, badOptions("the provider %s needs a base URL, for example http://localhost:8080/v1", provider)
		}
		raw = []string{p.BaseURL, p.Fallback}
	}
	var out []*url.URL
	for _, r := range raw {
		u, err := NormalizeBaseURL(r)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

func badOptions(format string, args ...any) error {
	return &llm.Error{Kind: llm.BadRequest, Message: fmt.Sprintf(format, args...)}
}

// chatPath is the endpoint that users sometimes give along with the base URL.
const chatPath = "/chat/completions"

// NormalizeBaseURL accepts the forms of a base URL that users write: without a
// scheme, with or without /v1 and a final slash, with /v1 twice, or with the
// whole chat endpoint.
func NormalizeBaseURL(raw string) (*url.URL, error) {
	s := strings.TrimSpace(raw)
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, badOptions("the base URL %q is not valid; it should look like http://localhost:8080/v1", raw)
	}
	p := strings.TrimRight(u.Path, "/")
	p = strings.TrimRight(strings.TrimSuffix(p, chatPath), "/")
	for strings.HasSuffix(p, "/v1/v1") {
		p = strings.TrimSuffix(p, "/v1")
	}
	if !endsInVersion(p) {
		p += "/v1"
	}
	u.Path, u.RawPath = p, ""
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// endsInVersion reports whether a path names an API version, such as /v1 or
// /openai/v1beta.
func endsInVersion(p string) bool {
	last := p[strings.LastIndexByte(p, '/')+1:]
	return len(last) >= 2 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9'
}
