package lspclient

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	// maxMessage bounds one message of a server, in bytes, and maxHeader the
	// lines before it.
	maxMessage = 64 << 20
	maxHeader  = 4 << 10
)

// codec is jsonrpc2's for language servers, with bounds on what is read.
type codec struct{ jsonrpc2.VSCodeObjectCodec }

// ReadObject reads one message.
func (codec) ReadObject(r *bufio.Reader, v any) error {
	size, err := messageSize(r)
	if err != nil {
		return err
	}
	body := io.LimitReader(r, size)
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, body) // blanks after the value
	return err
}

// messageSize reads the header of a message.
func messageSize(r *bufio.Reader) (int64, error) {
	size := int64(-1)
	for left := maxHeader; ; {
		line, err := r.ReadSlice('\n')
		if left -= len(line); err != nil || left < 0 {
			return 0, cmp.Or(err, errors.New("the header of a message is too long"))
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ":")
		if strings.EqualFold(name, "Content-Length") {
			if size, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return 0, fmt.Errorf("the length of a message: %w", err)
			}
		}
	}
	if size < 0 || size > maxMessage {
		return 0, fmt.Errorf("a message of %d bytes", size)
	}
	return size, nil
}
