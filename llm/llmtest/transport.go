package llmtest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Transport returns a round tripper that serves requests in process, without
// a socket: for the demo, and for tests under testing/synctest.
func (s *Server) Transport() http.RoundTripper { return inProcess{s} }

type inProcess struct{ handler http.Handler }

// RoundTrip runs the handler in a goroutine that ends with the body: at its
// end, when the client closes it, or when the request's context is done.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	pr, pw := io.Pipe()
	stop := context.AfterFunc(ctx, func() {
		pw.CloseWithError(context.Cause(ctx))
	})
	w := &pipeWriter{header: http.Header{}, pipe: pw, ready: make(chan struct{})}
	inner := req.Clone(ctx)
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	go func() {
		defer cancel()
		defer stop()
		defer inner.Body.Close()
		defer func() {
			// A handler aborts to play a lost connection.
			cause := recover()
			if cause != nil && cause != http.ErrAbortHandler {
				panic(cause)
			}
			w.open(http.StatusOK)
			if cause != nil {
				pw.CloseWithError(io.ErrUnexpectedEOF)
			} else {
				pw.CloseWithError(context.Cause(ctx)) // io.EOF when nil
			}
		}()
		t.handler.ServeHTTP(w, inner)
	}()
	select {
	case <-w.ready:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	return &http.Response{
		Status:     http.StatusText(w.status),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.sent,
		Body:          &pipeBody{PipeReader: pr, cancel: cancel},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// pipeBody ends the handler when the client closes it.
type pipeBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *pipeBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// pipeWriter is the response writer of the in-process transport.
type pipeWriter struct {
	header http.Header
	pipe   *io.PipeWriter

	once   sync.Once
	ready  chan struct{} // closed when status and sent are set
	status int
	sent   http.Header
}

func (w *pipeWriter) Header() http.Header    { return w.header }
func (w *pipeWriter) WriteHeader(status int) { w.open(status) }
func (w *pipeWriter) Flush()                 { w.open(http.StatusOK) }

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.open(http.StatusOK)
	return w.pipe.Write(p)
}

func (w *pipeWriter) open(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}
