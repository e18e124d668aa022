package safety

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowSite is a client whose connections all lead to serve, in memory, and the
// group of these connections.
func slowSite(t *testing.T, serve func(w net.Conn, path string)) (*FetchClient, *sync.WaitGroup) {
	t.Helper()
	c, served := fetchClient(t, FetchOptions{}), new(sync.WaitGroup)
	c.direct.DialContext = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		served.Go(func() {
			defer server.Close()
			for r := bufio.NewReader(server); ; {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				serve(server, req.URL.Path)
			}
		})
		return client, nil
	}
	return c, served
}

func TestFetchGivesUpOnSlowServers(t *testing.T) {
	t.Parallel()
	const none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	for _, tc := range []struct {
		name  string
		serve func(w net.Conn, path string)
		after time.Duration
		says  string
	}{
		{"robots never", func(net.Conn, string) {}, fetchHeaderTime, "93.184.215.14: no answer within 10 s"},
		{"headers never", func(w net.Conn, path string) {
			if path == "/robots.txt" {
				fmt.Fprint(w, none)
			}
		}, fetchHeaderTime, "93.184.215.14: no answer within 10 s"},
		{"body drop by drop", func(w net.Conn, path string) {
			if path == "/robots.txt" {
				fmt.Fprint(w, none)
				return
			}
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			for range 1000 {
				time.Sleep(time.Second)
				if _, err := fmt.Fprint(w, "x"); err != nil {
					return
				}
			}
		}, fetchTime, "93.184.215.14: it takes longer than 30 s"},
		{"redirects, each slow", func(w net.Conn, path string) {
			if path == "/robots.txt" {
				fmt.Fprint(w, none)
				return
			}
			time.Sleep(9 * time.Second)
			fmt.Fprint(w, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
		}, fetchTime, "93.184.215.14: it takes longer than 30 s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, served := slowSite(t, tc.serve)
				began := time.Now()
				_, err := c.Get(t.Context(), "http://93.184.215.14/", nil)
				if code(err) != FetchUnreachable || err.Error() != tc.says {
					t.Errorf("got %v, want %s", err, tc.says)
				}
				if d := time.Since(began); d != tc.after {
					t.Errorf("after %v, want %v", d, tc.after)
				}
				served.Wait()
			})
		})
	}
}
