package llm

// ErrorKind classifies an Error by what the caller can do about it.
type ErrorKind string

// The kinds of errors.
const (
	Unreachable   ErrorKind = "unreachable"     // no connection: refused, DNS, TLS, proxy
	NoAnswer      ErrorKind = "no answer"       // nothing came within the first-token timeout
	Stalled       ErrorKind = "stalled"         // the stream went silent
	Disconnected  ErrorKind = "disconnected"    // the stream was cut
	ContextFull   ErrorKind = "context full"    // the prompt does not fit the window
	LoadingModel  ErrorKind = "loading model"   // still loading after the limit
	Unauthorized  ErrorKind = "unauthorized"    // 401, 403
	UnknownModel  ErrorKind = "unknown model"   // 404 for the model
	BadTemplate   ErrorKind = "bad template"    // the chat template refused the messages
	NoToolSupport ErrorKind = "no tool support" // the model or server takes no tools
	RunawayAnswer ErrorKind = "runaway answer"  // cut by a guard: the text repeats itself
	RunawayCall   ErrorKind = "runaway call"    // cut by a guard: arguments repeat or are too long
	Overlong      ErrorKind = "overlong answer" // cut by a guard: the server did not keep to max_tokens
	ServerFault   ErrorKind = "server fault"    // the server's own error, 5xx or in mid-stream
	BadRequest    ErrorKind = "bad request"     // any other 4xx
	BadAnswer     ErrorKind = "bad answer"      // the answer could not be understood
)

// Error is a failed request. Message is the server's own wording where it
// gave one; Explain turns an Error into one line for the user.
type Error struct {
	Kind    ErrorKind
	Message string
	Status  int // HTTP status, 0 when there was none

	// PromptTokens and ContextWindow come with ContextFull where the server
	// tells them.
	PromptTokens, ContextWindow int

	// Nearest are served models whose names resemble the one asked for; they
	// come with UnknownModel.
	Nearest []string

	// Partial is what had arrived when a stream was cut or stopped.
	Partial *Response

	// Proxy is the proxy that the request went through, if any.
	Proxy string

	Err error // the cause, for the log
}

func (e *Error) Error() string {
	if e.Message == "" {
		return string(e.Kind)
	}
	return string(e.Kind) + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
