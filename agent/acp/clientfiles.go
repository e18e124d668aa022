package acp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"
)

// filePatience is how long a client may take to read or write a file. One that
// takes longer is not asked again.
const filePatience = 5 * time.Second

var errNotOffered = errors.New("the client does not offer it")

// offer is what the client says of its file system.
type offer struct {
	ReadTextFile, WriteTextFile bool
}

// ClientFiles are the files of a session as the client has them, with what its
// user has not saved. Each method returns an error where the client does not
// offer it, refuses, or stays silent.
type ClientFiles struct {
	srv     *server
	session string

	mu         sync.Mutex
	path, text string // what the client told last
}

// ReadText reads a file, named by its absolute path.
func (c *ClientFiles) ReadText(ctx context.Context, path string) (string, error) {
	if !c.srv.offered().ReadTextFile {
		return "", errNotOffered
	}
	answer, err := request[struct{ Content *string }](ctx, c, sdk.ClientMethodFsReadTextFile,
		sdk.ReadTextFileRequest{SessionId: sdk.SessionId(c.session), Path: path})
	switch {
	case err != nil:
		return "", err
	case answer.Content == nil:
		return "", errors.New("the client's answer has no content")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.path, c.text = path, *answer.Content
	return c.text, nil
}

// WriteText writes a file, named by its absolute path, and makes it if need
// be.
func (c *ClientFiles) WriteText(ctx context.Context, path, text string) error {
	if !c.srv.offered().WriteTextFile {
		return errNotOffered
	}
	_, err := request[json.RawMessage](ctx, c, sdk.ClientMethodFsWriteTextFile,
		sdk.WriteTextFileRequest{SessionId: sdk.SessionId(c.session), Path: path, Content: text})
	return err
}

// last is what the client told of a file, when that was the last it told.
func (c *ClientFiles) last(path string) (string, bool) {
	if c == nil {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text, c.path == path && path != ""
}

// request asks the client about a file.
func request[T any](ctx context.Context, c *ClientFiles, method string, params any) (T, error) {
	limited, cancel := context.WithTimeout(ctx, filePatience)
	defer cancel()
	answer, err := sdk.SendRequest[T](c.srv.conn, limited, method, params)
	switch {
	case err == nil:
	case limited.Err() != nil && ctx.Err() == nil:
		c.srv.setOffer(offer{})
		c.srv.log.printf("session %s: %s is not answered: files are read from the disk and written there", c.session, method)
	default:
		c.srv.log.printf("session %s: %s: %v: the disk counts", c.session, method, err)
	}
	return answer, err
}
