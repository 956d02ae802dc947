package tidemark

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Error is what a venue or its laboratory refused, or why it could not be asked.
type Error struct {
	// Status is of the answer; 0: there was none.
	Status int `json:"status"`
	// Code is such as unknown-snapshot, or the code of the interface.
	Code string `json:"code"`
	// Field of the call that is wrong.
	Field   string `json:"field"`
	Message string `json:"message"`
	// Facts are all that the error said: until-not-reached says now.
	Facts M `json:"-"`
	cause error
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Unwrap is why there was no answer.
func (e *Error) Unwrap() error { return e.cause }

// calls are a laboratory's port, and what opens it.
type calls struct{ url, token string }

// Each venue has a port of its own: connections to those that stopped are not kept.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// get is a call below /_lab that answers a T.
func get[T any](c calls, method, path string, body any) (found T, err error) {
	err = c.lab(method, path, body, &found)
	return found, err
}

// lab is a call below /_lab; its data are read into data unless that is nil.
func (c calls) lab(method, path string, body, data any) error {
	headers := http.Header{}
	if c.token != "" {
		headers.Set("Authorization", "Bearer "+c.token)
	}
	sent, err := written(body)
	if err != nil {
		return err
	}
	status, text, err := c.send(method, "/_lab"+path, sent, headers)
	if err != nil {
		return err
	}
	var envelope struct {
		OK    bool
		Data  json.RawMessage
		Error json.RawMessage
	}
	isWhole := json.Unmarshal(text, &envelope) == nil
	switch {
	case isWhole && envelope.OK:
		return read(envelope.Data, data)
	case isWhole && envelope.Error != nil:
		refused := &Error{}
		if err := json.Unmarshal(envelope.Error, refused); err != nil {
			return wrong(method, path, status, text)
		}
		refused.Status = status
		_ = json.Unmarshal(envelope.Error, &refused.Facts)
		return refused
	case status == http.StatusOK: // lines of JSON
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		return read([]byte("["+string(bytes.Join(lines, []byte(",")))+"]"), data)
	case status == http.StatusNotFound:
		message := c.url + " has no laboratory: start it with tidemark dev"
		return &Error{Status: status, Code: "no-laboratory", Message: message}
	}
	return wrong(method, path, status, text)
}

// signed is a call of the interface; it answers its data.
func (c calls) signed(key Key, method, target string, body any) (any, error) {
	sent, err := written(body)
	if err != nil {
		return nil, err
	}
	timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
	mac := hmac.New(sha256.New, []byte(key.Secret))
	mac.Write([]byte(timestamp + method + target + string(sent)))
	headers := http.Header{}
	headers.Set("ACCESS-KEY", key.APIKey)
	headers.Set("ACCESS-PASSPHRASE", key.Passphrase)
	headers.Set("ACCESS-TIMESTAMP", timestamp)
	headers.Set("ACCESS-SIGN", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	status, text, err := c.send(method, target, sent, headers)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Code string
		Msg  string
		Data any
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Code == "" {
		return nil, wrong(method, target, status, text)
	}
	if answer.Code != "00000" {
		message := fmt.Sprintf("%s %s: %s %s", method, target, answer.Code, answer.Msg)
		return nil, &Error{Status: status, Code: answer.Code, Message: message}
	}
	return answer.Data, nil
}

func (c calls) send(method, target string, body []byte, headers http.Header) (int, []byte, error) {
	request, err := http.NewRequest(method, c.url+target, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header = headers
	if len(body) > 0 {
		headers.Set("Content-Type", "application/json")
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, nil, c.unreachable(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, c.unreachable(err)
	}
	return answer.StatusCode, text, nil
}

func (c calls) unreachable(cause error) error {
	return &Error{Code: "unreachable", Message: "there is no answer from " + c.url, cause: cause}
}

func wrong(method, path string, status int, text []byte) error {
	if len(text) > 200 {
		text = text[:200]
	}
	return &Error{Status: status, Code: "answer-wrong", Message: fmt.Sprintf("%s %s was answered %d: %s", method, path, status, text)}
}

func written(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	return json.Marshal(body)
}

func read(text []byte, into any) error {
	if into == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}

// query is ?name=value&... of all fields.
func query(fields M) string {
	if len(fields) == 0 {
		return ""
	}
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, word(value))
	}
	return "?" + values.Encode()
}

// word is a value in a query. Whole numbers of JSON have no exponent.
func word(value any) string {
	if number, is := value.(float64); is {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
