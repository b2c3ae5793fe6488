// SPDX-License-Identifier: GPL-3.0-or-later

// pull URL SECONDS...: pulls /debug/pprof/profile as the scrapers of Parca and Pyroscope (Grafana
// Alloy) do, and checks every answer against what these and Google's own library ask of it. First
// all calls since the processes began, then a window of each of SECONDS, then all calls again.
// Prints the sums of the last answer, "TYPE SUM" a line.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

func fail(format string, args ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

// The body as it came: Go's client asks for gzip, and would unpack what is declared to be so.
func get(url string) []byte {
	request, err := http.NewRequest("GET", url, nil)
	must(err, url)
	request.Header.Set("User-Agent", "conprof/v0.0")
	answer, err := http.DefaultClient.Do(request)
	must(err, url)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(err, url)
	kind := answer.Header.Get("Content-Type")
	if answer.StatusCode != 200 || kind != "application/octet-stream" || answer.Uncompressed {
		fail("%s: status %d, type %q: %s", url, answer.StatusCode, kind, body)
	}
	if len(body) < 3 || body[0] != 0x1f || body[1] != 0x8b {
		fail("%s: not packed by gzip", url)
	}
	return body
}

// What Parca's and Pyroscope's ingesters refuse, or drop, beside what CheckValid does.
func checkTables(p *profile.Profile, url string) {
	for i, m := range p.Mapping {
		if m.ID != uint64(i+1) {
			fail("%s: mapping %d is number %d", url, m.ID, i+1)
		}
	}
	for i, f := range p.Function {
		if f.ID != uint64(i+1) || f.Name == "" || !utf8.ValidString(f.Name+f.SystemName+f.Filename) {
			fail("%s: function %d (%q) is number %d", url, f.ID, f.Name, i+1)
		}
	}
	for i, l := range p.Location {
		if l.ID != uint64(i+1) || len(l.Line) == 0 {
			fail("%s: location %d with %d lines is number %d", url, l.ID, len(l.Line), i+1)
		}
	}
	for _, s := range p.Sample {
		for i, v := range s.Value {
			if v < 0 || (i == 0 && v == 0) {
				fail("%s: a sample of %v", url, s.Value)
			}
		}
	}
}

func parse(body []byte, url string) *profile.Profile {
	p, err := profile.ParseData(body)
	must(err, url)
	must(p.CheckValid(), url)
	checkTables(p, url)
	types := ""
	for _, t := range p.SampleType {
		types += t.Type + "/" + t.Unit + " "
	}
	if types != "calls/count time/nanoseconds bytes/bytes " || p.DefaultSampleType != "time" ||
		p.PeriodType == nil || p.PeriodType.Type != "calls" || p.Period != 1 {
		fail("%s: types %sdefault %q, period %v", url, types, p.DefaultSampleType, p.PeriodType)
	}
	return p
}

func pull(url string, seconds string) *profile.Profile {
	// Parca and Alloy add "seconds" once for each target of a job that has parameters.
	at := url + "?seconds=" + seconds + "&seconds=" + seconds
	p := parse(get(at), at)
	wanted, err := strconv.ParseFloat(seconds, 64)
	must(err, seconds)
	if wanted > 0 && p.DurationNanos != int64(wanted*1e9+0.5) {
		fail("%s: a duration of %d ns", at, p.DurationNanos)
	}
	return p
}

func sums(p *profile.Profile) []int64 {
	out := make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			out[i] += v
		}
	}
	return out
}

// Merged, without what nothing refers to, written and read again: nothing is lost.
func merge(windows []*profile.Profile) *profile.Profile {
	all, err := profile.Merge(windows)
	must(err, "merge")
	var packed bytes.Buffer
	must(all.Compact().Write(&packed), "write")
	again, err := profile.ParseData(packed.Bytes())
	must(err, "what was written")
	total := make([]int64, len(again.SampleType))
	for _, w := range windows {
		for i, v := range sums(w) {
			total[i] += v
		}
	}
	if fmt.Sprint(total) != fmt.Sprint(sums(again)) {
		fail("merged: %v, not %v", sums(again), total)
	}
	return again
}

func main() {
	url := strings.TrimSuffix(os.Args[1], "/") + "/debug/pprof/profile"
	before := pull(url, "0")
	var windows []*profile.Profile
	for _, seconds := range os.Args[2:] {
		w := pull(url, seconds)
		if len(windows) > 0 && w.TimeNanos <= windows[len(windows)-1].TimeNanos {
			fail("a window does not begin after the one before")
		}
		windows = append(windows, w)
	}
	after := pull(url, "0")
	if len(windows) > 0 {
		within := sums(merge(windows))
		begin, end := sums(before), sums(after)
		// calls and bytes are counted; of times the counter's rate is known better every moment
		if within[0] <= 0 || within[0] > end[0]-begin[0] || within[2] > end[2]-begin[2] {
			fail("windows of %v between %v and %v", within, begin, end)
		}
	}
	for i, v := range sums(after) {
		fmt.Println(after.SampleType[i].Type, v)
	}
}
