package tidemark

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

const startMax = 60 * time.Second

type settings struct{ isDeterministic, isLimited bool }

// held are the laboratories of this process. Each has an answer without an end: the process ends with the last of its clients.
var held = struct {
	sync.Mutex
	homes    map[settings]calls
	attached []*http.Response
}{homes: map[settings]calls{}}

// shared is the laboratory that all venues of this process with the same settings share, started on first use.
func shared(isDeterministic, isLimited bool) (calls, error) {
	held.Lock()
	defer held.Unlock()
	of := settings{isDeterministic, isLimited}
	if home, isThere := held.homes[of]; isThere {
		return home, nil
	}
	named := os.Getenv("TIDEMARK_BIN")
	if named == "" {
		named = "npx tidemark"
	}
	command := append(words(named), "dev", "--port=0", "--simulator=off", "--ends-with-clients", "--venues-max=512")
	if isDeterministic {
		command = append(command, "--deterministic")
	}
	if !isLimited {
		command = append(command, "--no-rate-limits")
	}
	url, err := run(command)
	if err != nil {
		return calls{}, err
	}
	home := calls{url: url}
	answer, err := client.Get(url + "/_lab/attached")
	if err != nil {
		return calls{}, home.unreachable(err)
	}
	held.homes[of] = home
	held.attached = append(held.attached, answer)
	return home, nil
}

var readyLine = regexp.MustCompile(`(?m)^ready (\S+)$`)

// run starts a laboratory and says where it is ready. Settings of a venue in this process are not those of the laboratory.
func run(command []string) (string, error) {
	log, err := os.CreateTemp("", "tidemark-go-*.log")
	if err != nil {
		return "", noStart(command, err.Error(), err)
	}
	defer os.Remove(log.Name())
	defer log.Close()
	child := exec.Command(command[0], command[1:]...)
	child.Stdout, child.Stderr = log, log
	for _, one := range os.Environ() {
		if !strings.HasPrefix(one, "TIDEMARK_") {
			child.Env = append(child.Env, one)
		}
	}
	if err := child.Start(); err != nil {
		return "", noStart(command, err.Error(), err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	until := time.Now().Add(startMax)
	for isOver := false; ; {
		said, err := os.ReadFile(log.Name())
		if err != nil {
			return "", noStart(command, err.Error(), err)
		}
		if ready := readyLine.FindSubmatch(said); ready != nil {
			return string(ready[1]), nil
		}
		if isOver {
			_ = child.Process.Kill()
			return "", noStart(command, strings.TrimSpace(string(said)), nil)
		}
		select {
		case <-ended:
			isOver = true
		case <-time.After(15 * time.Millisecond):
			isOver = time.Now().After(until)
		}
	}
}

func noStart(command []string, why string, cause error) error {
	return &Error{Code: "no-start", Message: fmt.Sprintf("%s does not start: %s", command[0], why), cause: cause}
}

var (
	oneWord = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|\S)+`)
	quoted  = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
)

// words takes a command apart as a shell does, with quotes of both kinds.
func words(command string) []string {
	found := oneWord.FindAllString(command, -1)
	for at, word := range found {
		found[at] = quoted.ReplaceAllString(word, "$1$2")
	}
	return found
}
