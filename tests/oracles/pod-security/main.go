// Holds pods to levels of pod security with the policy package of the API server's own admission
// plugin. Standard input has one JSON object per line: a pod's `metadata` and `spec`, a `level` and a
// `minor` of the version, which is the newest one when it is -1; or the `labels` of a Namespace. The
// answer is one line: the rules that are broken, by name, with a space between, or `allowed`; of
// labels `valid` or `invalid`; or `error: ...`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type question struct {
	Level    string            `json:"level"`
	Minor    int               `json:"minor"`
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     corev1.PodSpec    `json:"spec"`
	Labels   map[string]string `json:"labels"`
}

// By its name, which results do not carry: each rule is asked on its own.
type rule struct {
	check    policy.Check
	evaluate policy.Evaluator
}

// The rules whose place this one takes in a version.
func (r rule) overrides(version api.Version) []policy.CheckID {
	var ids []policy.CheckID
	for _, each := range r.check.Versions {
		if !version.Older(each.MinimumVersion) {
			ids = each.OverrideCheckIDs
		}
	}
	return ids
}

func rules() ([]rule, error) {
	var all []rule
	for _, check := range policy.DefaultChecks() {
		evaluator, err := policy.NewEvaluator([]policy.Check{check}, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, rule{check, evaluator})
	}
	return all, nil
}

func answer(q question, whole policy.Evaluator, all []rule) string {
	if q.Labels != nil {
		if _, errs := api.PolicyToEvaluate(q.Labels, api.Policy{}); len(errs) > 0 {
			return "invalid"
		}
		return "valid"
	}
	level, err := api.ParseLevel(q.Level)
	if err != nil {
		return "error: " + err.Error()
	}
	version := api.LatestVersion()
	if q.Minor >= 0 {
		version = api.MajorMinorVersion(1, q.Minor)
	}
	asked := api.LevelVersion{Level: level, Version: version}
	if policy.AggregateCheckResults(whole.EvaluatePod(asked, &q.Metadata, &q.Spec)).Allowed {
		return "allowed"
	}
	overridden := map[policy.CheckID]bool{}
	for _, each := range all {
		if level == api.LevelRestricted {
			for _, id := range each.overrides(version) {
				overridden[id] = true
			}
		}
	}
	var broken []string
	for _, each := range all {
		if overridden[each.check.ID] {
			continue
		}
		if !policy.AggregateCheckResults(each.evaluate.EvaluatePod(asked, &q.Metadata, &q.Spec)).Allowed {
			broken = append(broken, string(each.check.ID))
		}
	}
	sort.Strings(broken)
	return strings.Join(broken, " ")
}

func main() {
	whole, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		fmt.Println("error: " + err.Error())
		os.Exit(1)
	}
	all, err := rules()
	if err != nil {
		fmt.Println("error: " + err.Error())
		os.Exit(1)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(out, "error: "+err.Error())
			continue
		}
		fmt.Fprintln(out, answer(q, whole, all))
	}
}
