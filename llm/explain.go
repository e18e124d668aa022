package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Explain turns an error of a request into one line on which the user can act.
// info says which server and which model were asked.
func Explain(err error, info ModelInfo) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	fault, ok := errors.AsType[*Error](err)
	if !ok {
		return "the request failed: " + oneLine(err.Error())
	}
	e := explainer{fault: fault, info: info}
	if explain := explanations[fault.Kind]; explain != nil {
		return explain(e)
	}
	return "the request failed: " + oneLine(fault.Message)
}

type explainer struct {
	fault *Error
	info  ModelInfo
}

// explanations has one for each kind.
var explanations = map[ErrorKind]func(explainer) string{
	Unreachable: explainer.unreachable,
	NoAnswer: func(e explainer) string {
		return fmt.Sprintf("no answer from %s (%s): the model may be too large or the prompt too long for this machine; raise firstTokenTimeout, or use a smaller model",
			e.server(), e.said("silence"))
	},
	Stalled: func(e explainer) string {
		return fmt.Sprintf("the answer of %s stalled (%s): ask again, or raise watchdogTimeout if the model thinks in pauses",
			e.server(), e.said("silence"))
	},
	Disconnected: func(e explainer) string {
		return fmt.Sprintf("%s closed the connection in the middle of the answer: see its log, it may have run out of memory", e.server())
	},
	ContextFull:  explainer.contextFull,
	LoadingModel: func(e explainer) string { return e.server() + " is still loading the model: wait, then ask again" },
	Unauthorized: func(e explainer) string {
		return fmt.Sprintf("%s refused the API key: set apiKey or MM_API_KEY to the key that the server was started with", e.server())
	},
	UnknownModel: explainer.unknownModel,
	BadTemplate: func(e explainer) string {
		return fmt.Sprintf("the chat template of %s does not take this conversation (%s): set the model's profile, or start the server with another --chat-template",
			e.model(), e.said("no reason given"))
	},
	NoToolSupport: explainer.noTools,
	RunawayAnswer: func(e explainer) string {
		return "the model repeats itself and was stopped (" + e.said("a pattern without end") + "): ask again in other words, or raise sampling.repeat_penalty"
	},
	RunawayCall: func(e explainer) string {
		return "the model derailed while it wrote a tool call and was stopped (" + e.said("a pattern without end") + "): ask for a smaller step"
	},
	Overlong: func(e explainer) string {
		return fmt.Sprintf("%s did not end the answer (%s): ask for less at once, or limit answers at the server (%s)",
			e.server(), e.said("no limit"), e.limitAnswers())
	},
	ServerFault: func(e explainer) string {
		return fmt.Sprintf("%s reports an error: %s%s", e.server(), e.said("no reason given"), e.proxyHint())
	},
	BadRequest: func(e explainer) string {
		return fmt.Sprintf("%s refused the request: %s", e.server(), e.said("no reason given"))
	},
	BadAnswer: func(e explainer) string {
		return fmt.Sprintf("%s did not answer as a model server (%s): check baseURL, it should end in /v1", e.server(), e.said("not understood"))
	},
}

// unreachable says how to start the server, and what else may be in the way.
func (e explainer) unreachable() string {
	cause := ""
	if e.fault.Err != nil {
		cause = e.fault.Err.Error()
	}
	switch {
	case e.fault.Proxy != "":
		return fmt.Sprintf("cannot reach %s through the proxy %s: add the server's host to NO_PROXY if it is not behind the proxy", e.server(), e.fault.Proxy)
	case strings.Contains(cause, "HTTP response to HTTPS client"):
		return fmt.Sprintf("%s does not speak TLS: use http:// in baseURL", e.server())
	case strings.Contains(cause, "x509") || strings.Contains(cause, "tls:"):
		return fmt.Sprintf("the TLS certificate of %s is not accepted: use http:// if the server is local, or install its certificate", e.server())
	case strings.Contains(cause, "no such host"):
		return fmt.Sprintf("the host of %s is not known: check baseURL", e.server())
	case e.info.BaseURL == "" && e.fault.Message != "":
		return oneLine(e.fault.Message) + ": start one, for example " + startCommand("llamacpp")
	}
	return fmt.Sprintf("nothing answers at %s: %s", e.server(), e.start())
}

// start says how to start the provider's server.
func (e explainer) start() string {
	if command := startCommand(e.info.Provider); command != "" {
		return "start it with " + command
	}
	return "start the server, or correct baseURL"
}

func startCommand(provider string) string {
	switch provider {
	case "llamacpp":
		return "llama-server -m MODEL.gguf --jinja -c 16384"
	case "dmr":
		return "docker model run MODEL (TCP access: docker desktop enable model-runner --tcp 12434)"
	case "ollama":
		return "ollama serve"
	case "lmstudio":
		return "lms server start"
	case "vllm":
		return "vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER"
	}
	return ""
}

// contextFull names both figures, and how to raise the window.
func (e explainer) contextFull() string {
	what := "the conversation does not fit the context window"
	if e.fault.ContextWindow > 0 {
		what = fmt.Sprintf("the conversation is longer than the context window (%d tokens)", e.fault.ContextWindow)
		if e.fault.PromptTokens > 0 {
			what = fmt.Sprintf("the conversation (%d tokens) does not fit the context window (%d tokens)", e.fault.PromptTokens, e.fault.ContextWindow)
		}
	}
	return what + ": /compact shortens it; for a larger window: " + RaiseWindow(e.info)
}

// RaiseWindow is how the provider's server gets a larger window.
func RaiseWindow(info ModelInfo) string {
	switch info.Provider {
	case "llamacpp":
		return "llama-server -c 16384"
	case "dmr":
		return "docker model configure --context-size 16384 " + cmp.Or(info.ID, "MODEL")
	case "ollama":
		return "OLLAMA_CONTEXT_LENGTH=16384 ollama serve"
	case "lmstudio":
		return "lms load " + cmp.Or(info.ID, "MODEL") + " --context-length 16384"
	case "vllm":
		return "vllm serve " + cmp.Or(info.ID, "MODEL") + " --max-model-len 16384"
	}
	return "start the server with a larger one"
}

// limitAnswers says how the provider's server limits an answer by itself.
func (e explainer) limitAnswers() string {
	switch e.info.Provider {
	case "llamacpp":
		return "llama-server -n N"
	case "ollama":
		return "num_predict in the Modelfile"
	}
	return "see its settings, or update it"
}

// ExplainWindow says in one line what is uncertain about a context window and
// what to do, or nothing.
func ExplainWindow(info ModelInfo) string {
	e := explainer{fault: &Error{}, info: info}
	what := ""
	switch {
	case info.ContextWindow == 0:
		what = e.server() + " does not tell its context window"
	case info.WindowIsMaximum:
		what = fmt.Sprintf("%d tokens is what the model can take at most, and %s may serve less", info.ContextWindow, e.server())
	default:
		return ""
	}
	what += ": set contextWindow to what it was started with"
	if command := e.tellWindow(); command != "" {
		what += " (" + command + " shows it)"
	}
	return what
}

// tellWindow is the command that shows the window of the provider's server.
func (e explainer) tellWindow() string {
	root := strings.TrimSuffix(e.info.BaseURL, "/v1")
	switch e.info.Provider {
	case "llamacpp":
		return "curl " + root + "/props"
	case "dmr":
		return "curl " + root + "/_configure"
	case "ollama":
		return "ollama ps"
	case "lmstudio":
		return "lms ps"
	case "vllm":
		return "curl " + e.info.BaseURL + "/models"
	}
	return ""
}

func (e explainer) unknownModel() string {
	text := fmt.Sprintf("%s does not serve the model %s", e.server(), e.model())
	if len(e.fault.Nearest) > 0 {
		return text + "; nearest: " + strings.Join(e.fault.Nearest, ", ")
	}
	switch e.info.Provider {
	case "ollama":
		return text + ": get it with ollama pull " + e.model()
	case "dmr":
		return text + ": get it with docker model pull " + e.model()
	}
	return text + ": set model to one that it lists at /v1/models"
}

func (e explainer) noTools() string {
	said := e.fault.Message
	switch {
	case strings.Contains(said, "--jinja"):
		return e.server() + " was started without --jinja, so that the model cannot call tools: restart llama-server with --jinja"
	case strings.Contains(said, "--enable-auto-tool-choice"):
		return e.server() + " takes no tools: restart vllm with --enable-auto-tool-choice --tool-call-parser PARSER"
	}
	return fmt.Sprintf("the model %s cannot call tools on this server: choose another model", e.model())
}

func (e explainer) proxyHint() string {
	if e.fault.Proxy == "" {
		return ""
	}
	return fmt.Sprintf(" (asked through the proxy %s; add the server's host to NO_PROXY if it is local)", e.fault.Proxy)
}

// serverNames are the servers as the user knows them.
var serverNames = map[string]string{
	"llamacpp": "llama-server", "dmr": "Docker Model Runner", "ollama": "Ollama",
	"lmstudio": "LM Studio", "vllm": "vLLM",
}

func (e explainer) server() string {
	name := cmp.Or(serverNames[e.info.Provider], "the server")
	if e.info.BaseURL == "" {
		return name
	}
	return name + " at " + e.info.BaseURL
}

func (e explainer) model() string { return cmp.Or(e.info.Asked, e.info.ID, "MODEL") }

// said is the server's own wording, or otherwise.
func (e explainer) said(otherwise string) string {
	if e.fault.Message == "" {
		return otherwise
	}
	return oneLine(e.fault.Message)
}

// oneLine bounds a text for a message.
func oneLine(s string) string {
	const keep = 300
	s = strings.Join(strings.Fields(s), " ")
	if strings.HasPrefix(s, "{") {
		return "an answer that is no plain text"
	}
	if len(s) > keep {
		s = strings.ToValidUTF8(s[:keep], "") + "…"
	}
	return s
}

// ExplainOther says in one line that a server answers with another model than
// the one that was asked for.
func ExplainOther(info ModelInfo) string {
	e := explainer{fault: &Error{}, info: info}
	return fmt.Sprintf("%s has no model %s and answers with %s: start it with the model that you want, or leave the name out",
		e.server(), info.Asked, info.ID)
}
