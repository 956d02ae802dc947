// Command run_cases runs the shared cases (clients/cases.json) through package tidemark: a line for each, and exit code 1 if one fails.
// Methods are found by their names, which are those of TypeScript with a capital.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"tidemark"
)

type step struct {
	Of      string
	Call    string
	With    []any
	Options tidemark.M
	As      string
	Gives   json.RawMessage
	Count   *int
	Fails   tidemark.M
}

func main() {
	path := "../cases.json"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	text, err := os.ReadFile(path)
	var file struct {
		Cases []struct {
			Name    string
			Options tidemark.M
			Steps   []step
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := 0
	for _, one := range file.Cases {
		said := "ok"
		if err := run(one.Options, one.Steps); err != nil {
			said, failed = "failed", 1
			fmt.Fprintln(os.Stderr, one.Name+":", err)
		}
		fmt.Println(said, one.Name)
	}
	os.Exit(failed)
}

func run(options tidemark.M, steps []step) error {
	venue, err := tidemark.Start(options)
	if err != nil {
		return err
	}
	known := tidemark.M{"venue": venue}
	defer func() {
		for _, thing := range known {
			if venue, is := thing.(*tidemark.Venue); is {
				_ = venue.Stop()
			}
		}
	}()
	for _, one := range steps {
		if err := take(one, known); err != nil {
			return fmt.Errorf("%s: %w", one.Call, err)
		}
	}
	return nil
}

func take(one step, known tidemark.M) error {
	if one.Of == "" {
		one.Of = "venue"
	}
	given := meant(one.With, known).([]any)
	if one.Options != nil {
		given = append(given, meant(one.Options, known))
	}
	answer, err := attempt(known[one.Of], one.Call, given)
	if one.Fails != nil {
		var refused *tidemark.Error
		if !errors.As(err, &refused) {
			return fmt.Errorf("not refused but %v", err)
		}
		facts, err := plain(refused)
		if err != nil {
			return err
		}
		return check(facts, one.Fails, one.Call)
	}
	if err != nil {
		return err
	}
	if _, is := answer.(*tidemark.Venue); !is {
		if answer, err = plain(answer); err != nil {
			return err
		}
	}
	if one.Gives != nil {
		var wanted any
		if err := json.Unmarshal(one.Gives, &wanted); err != nil {
			return err
		}
		if err := check(answer, meant(wanted, known), one.Call); err != nil {
			return err
		}
	}
	if rows, _ := answer.([]any); one.Count != nil && len(rows) != *one.Count {
		return fmt.Errorf("%d of %v", len(rows), answer)
	}
	if one.As != "" {
		known[one.As] = answer
	}
	return nil
}

// attempt calls a method by its name; arguments become what it takes.
func attempt(of any, call string, given []any) (any, error) {
	target := reflect.ValueOf(of)
	words := strings.Split(call, ".")
	for _, word := range words[:len(words)-1] {
		if target.Kind() == reflect.Pointer {
			target = target.Elem()
		}
		target = target.FieldByName(exported(word))
		if !target.IsValid() {
			return nil, fmt.Errorf("there is no %s", word)
		}
	}
	method := target.MethodByName(exported(words[len(words)-1]))
	if !method.IsValid() {
		return nil, fmt.Errorf("%s has no such method", target.Type())
	}
	taken := method.Type()
	arguments := []reflect.Value{}
	for at, one := range given {
		if at >= taken.NumIn() && !taken.IsVariadic() {
			return nil, fmt.Errorf("takes %d arguments", taken.NumIn())
		}
		kind := taken.In(min(at, taken.NumIn()-1))
		if taken.IsVariadic() && at >= taken.NumIn()-1 {
			kind = taken.In(taken.NumIn() - 1).Elem()
		}
		argument, err := converted(one, kind)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
	}
	if required := taken.NumIn(); len(given) < required && !(taken.IsVariadic() && len(given) == required-1) {
		return nil, fmt.Errorf("takes %d arguments", required)
	}
	var answer any
	for _, found := range method.Call(arguments) {
		if err, is := found.Interface().(error); is {
			return nil, err
		} else if found.Type() != reflect.TypeOf((*error)(nil)).Elem() {
			answer = found.Interface()
		}
	}
	return answer, nil
}

// converted is a value as a method takes it. Go names a snapshot by its id, and has a type for durations.
func converted(value any, kind reflect.Type) (reflect.Value, error) {
	if shown, is := value.(tidemark.M); is && kind.Kind() == reflect.String {
		value = shown["snapshot"]
	}
	if text, is := value.(string); is && kind == reflect.TypeOf(time.Duration(0)) {
		duration, err := time.ParseDuration(text)
		return reflect.ValueOf(duration), err
	}
	text, err := json.Marshal(value)
	into := reflect.New(kind)
	if err == nil {
		err = json.Unmarshal(text, into.Interface())
	}
	return into.Elem(), err
}

func exported(name string) string {
	if name == "adl" {
		return "ADL"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// plain is a value as JSON has it.
func plain(value any) (found any, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	return found, err
}

// meant is the value with each {"$": "name.field"} replaced by what is known. A snapshot within options is named by its id.
func meant(value any, known tidemark.M) any {
	switch value := value.(type) {
	case []any:
		all := []any{}
		for _, part := range value {
			all = append(all, meant(part, known))
		}
		return all
	case tidemark.M:
		if path, is := value["$"].(string); is {
			return found(path, known)
		}
		all := tidemark.M{}
		for name, part := range value {
			all[name] = meant(part, known)
			if shown, is := all[name].(tidemark.M); is && name == "snapshot" {
				all[name] = shown["snapshot"]
			}
		}
		return all
	}
	return value
}

func found(path string, known tidemark.M) any {
	var value any = known
	for _, word := range strings.Split(path, ".") {
		switch in := value.(type) {
		case []any:
			at, err := strconv.Atoi(word)
			if err != nil || at >= len(in) {
				return nil
			}
			value = in[at]
		case tidemark.M:
			value = in[word]
		}
	}
	return value
}

// check: each field that is wanted is there; lists are as long.
func check(given, wanted any, at string) error {
	switch wanted := wanted.(type) {
	case tidemark.M:
		fields, _ := given.(tidemark.M)
		for name, part := range wanted {
			value, isThere := fields[name]
			if !isThere {
				return fmt.Errorf("%s has no %s: %v", at, name, given)
			}
			if err := check(value, part, at+"."+name); err != nil {
				return err
			}
		}
		return nil
	case []any:
		rows, is := given.([]any)
		if !is || len(rows) != len(wanted) {
			return fmt.Errorf("%s: %v is not as long as %v", at, given, wanted)
		}
		for index, part := range wanted {
			if err := check(rows[index], part, fmt.Sprintf("%s[%d]", at, index)); err != nil {
				return err
			}
		}
		return nil
	}
	if given != wanted {
		return fmt.Errorf("%s: %v, not %v", at, given, wanted)
	}
	return nil
}
