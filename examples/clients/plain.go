// Places one order and follows it to its end, in Go with its standard library alone (1.18 or later).
//
//	VENUE=http://127.0.0.1:8080 API_KEY=... API_SECRET=... API_PASSPHRASE=... go run plain.go
//
// No answer: the order is sent again under its client order id, since it can exist but once. No socket: a new one is opened, and
// what was missed is asked for by the client order id. WebSocket is as much of RFC 6455 as it takes: text frames, masked as a client
// has to, and pings.
package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// order is what is placed, and its fields are those of the interface.
type order struct {
	Category    string `json:"category"`
	Symbol      string `json:"symbol"`
	Side        string `json:"side"`
	OrderType   string `json:"orderType"`
	TimeInForce string `json:"timeInForce"`
	Qty         string `json:"qty"`
	Price       string `json:"price"`
	ClientOid   string `json:"clientOid"`
}

// standing is what the venue says about an order.
type standing struct {
	ClientOid   string `json:"clientOid"`
	OrderStatus string `json:"orderStatus"`
	CumExecQty  string `json:"cumExecQty"`
	Qty         string `json:"qty"`
}

var (
	venue, _   = url.Parse(either(os.Getenv("VENUE"), "http://127.0.0.1:8080"))
	key        = os.Getenv("API_KEY")
	secret     = os.Getenv("API_SECRET")
	passphrase = os.Getenv("API_PASSPHRASE")
	mine       = order{"USDT-FUTURES", "BTCUSDT", "buy", "limit", "gtc", "0.01", "59000", hex.EncodeToString(random(16))}
	client     = http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
)

// refused is what the venue said no with.
type refused struct{ code, message string }

func (r refused) Error() string { return r.code + " " + r.message }

// isDuplicate: the order is there. The second code is what v3Dialect "live" says.
func isDuplicate(err error) bool {
	var no refused
	return errors.As(err, &no) && (no.code == "40786" || no.code == "25212")
}

// call is one signed request; its error is refused with the venue's code, or another one if there is no answer.
func call(method, target string, body, data any) error {
	text := []byte{}
	if body != nil {
		text, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, venue.String()+target, bytes.NewReader(text))
	if err != nil {
		return err
	}
	timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
	request.Header.Set("ACCESS-KEY", key)
	request.Header.Set("ACCESS-SIGN", sign(timestamp+method+target+string(text)))
	request.Header.Set("ACCESS-TIMESTAMP", timestamp)
	request.Header.Set("ACCESS-PASSPHRASE", passphrase)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var envelope struct {
		Code string          `json:"code"`
		Msg  string          `json:"msg"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		return err
	}
	if envelope.Code != "00000" {
		return refused{envelope.Code, envelope.Msg}
	}
	return json.Unmarshal(envelope.Data, data)
}

// place places the order once, however often it has to be sent.
func place() error {
	for {
		var placed struct{}
		err := call("POST", "/api/v3/trade/place-order", mine, &placed)
		if err == nil || isDuplicate(err) {
			return nil
		}
		if no, is := err.(refused); is {
			return no
		}
		fmt.Println("no answer: sent again")
		time.Sleep(200 * time.Millisecond)
	}
}

// socket is a WebSocket of a client.
type socket struct {
	net.Conn
	reader *bufio.Reader
}

func dial(path string) (*socket, error) {
	isSecure, address := venue.Scheme == "https", venue.Host
	if venue.Port() == "" && isSecure {
		address = net.JoinHostPort(venue.Hostname(), "443")
	} else if venue.Port() == "" {
		address = net.JoinHostPort(venue.Hostname(), "80")
	}
	connection, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return nil, err
	}
	if isSecure {
		connection = tls.Client(connection, &tls.Config{ServerName: venue.Hostname()})
	}
	ws := &socket{connection, bufio.NewReader(connection)}
	token := base64.StdEncoding.EncodeToString(random(16))
	_, err = fmt.Fprintf(ws, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n", path, venue.Host, token)
	if err == nil {
		var answer *http.Response
		answer, err = http.ReadResponse(ws.reader, nil)
		if err == nil && answer.StatusCode != http.StatusSwitchingProtocols {
			err = errors.New("the socket was refused: " + answer.Status)
		}
	}
	if err != nil {
		ws.Close()
		return nil, err
	}
	return ws, nil
}

func (ws *socket) send(kind byte, body []byte) error {
	frame, mask := []byte{128 | kind}, random(4)
	if len(body) < 126 {
		frame = append(frame, 128|byte(len(body)))
	} else {
		frame = append(frame, 128|126, byte(len(body)>>8), byte(len(body)))
	}
	frame = append(frame, mask...)
	for at, one := range body {
		frame = append(frame, one^mask[at%4])
	}
	_, err := ws.Write(frame)
	return err
}

// receive has the next text. After 20 quiet seconds it asks whether the venue is still there.
func (ws *socket) receive() ([]byte, error) {
	text := []byte{}
	for {
		_ = ws.SetReadDeadline(time.Now().Add(20 * time.Second))
		_, err := ws.reader.Peek(2)
		if timeout, is := err.(net.Error); is && timeout.Timeout() {
			if err := ws.send(1, []byte("ping")); err != nil {
				return nil, err
			}
			continue
		}
		var head [2]byte
		if _, err := io.ReadFull(ws.reader, head[:]); err != nil {
			return nil, err
		}
		size := uint64(head[1] & 127)
		if size > 125 {
			long := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
			if _, err := io.ReadFull(ws.reader, long); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(append(make([]byte, 8-len(long)), long...))
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(ws.reader, body); err != nil {
			return nil, err
		}
		switch kind := head[0] & 15; {
		case kind == 8:
			return nil, errors.New("the venue closed the socket")
		case kind == 9:
			if err := ws.send(10, body); err != nil {
				return nil, err
			}
		case kind < 3:
			text = append(text, body...)
			if head[0]&128 != 0 {
				return text, nil
			}
		}
	}
}

// follow is a socket that has logged in and follows the account's orders.
func follow() (*socket, error) {
	ws, err := dial("/v3/ws/private")
	if err != nil {
		return nil, err
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	login := map[string]string{"apiKey": key, "passphrase": passphrase, "timestamp": timestamp}
	login["sign"] = sign(timestamp + "GET/user/verify")
	for _, asked := range []struct {
		op string
		of map[string]string
	}{{"login", login}, {"subscribe", map[string]string{"instType": "UTA", "topic": "order"}}} {
		message, _ := json.Marshal(map[string]any{"op": asked.op, "args": []any{asked.of}})
		err := ws.send(1, message)
		var text []byte
		if err == nil {
			text, err = ws.receive()
		}
		if err != nil {
			ws.Close()
			return nil, err
		}
		var answer struct{ Event string }
		if json.Unmarshal(text, &answer) != nil || answer.Event != asked.op {
			fmt.Fprintf(os.Stderr, "%s: %s\n", asked.op, text)
			os.Exit(1)
		}
	}
	return ws, nil
}

var status string

// told is what the venue says about the order, by push or by answer; said once for each status. True: it has ended.
func told(found standing) bool {
	if found.ClientOid == mine.ClientOid && found.OrderStatus != status {
		status = found.OrderStatus
		fmt.Printf("%s %s of %s\n", status, found.CumExecQty, found.Qty)
	}
	switch status {
	case "filled", "cancelled", "canceled", "rejected":
		return true
	}
	return false
}

// watch follows the order on a socket until it ends; an error: the connection is lost, or the venue said no.
func watch(ws *socket, isPlaced *bool) error {
	if !*isPlaced {
		if err := place(); err != nil {
			return err
		}
		*isPlaced = true
	}
	var found standing
	if err := call("GET", "/api/v3/trade/order-info?clientOid="+mine.ClientOid, nil, &found); err != nil || told(found) {
		return err
	}
	fmt.Println("following")
	for {
		text, err := ws.receive()
		if err != nil {
			return err
		}
		var push struct{ Data []standing }
		_ = json.Unmarshal(text, &push) // a pong is no JSON
		for _, found := range push.Data {
			if told(found) {
				return nil
			}
		}
	}
}

func main() {
	for isPlaced := false; ; {
		if ws, err := follow(); err == nil {
			err = watch(ws, &isPlaced)
			ws.Close()
			if err == nil {
				return
			}
			if no, is := err.(refused); is {
				fmt.Fprintln(os.Stderr, no)
				os.Exit(1)
			}
			fmt.Println("connection lost")
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func sign(text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func random(count int) []byte {
	bytes := make([]byte, count)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return bytes
}

func either(one, other string) string {
	if one != "" {
		return one
	}
	return other
}
