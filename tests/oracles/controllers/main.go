// Makes pods with the controllers' own code. Standard input has YAML documents, each a job; the
// answers are lines of JSON, as the file of each kind says, or one line `error: ...`.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"
)

// makers say what comes of a job, value by value.
var makers = map[string]func(text []byte) ([]any, error){
	"JobSet":          jobsOfJobSet,
	"LeaderWorkerSet": podsOfLeaderWorkerSet,
	"MPIJob":          podsOfMPIJob,
	"RayCluster":      podsOfRayCluster,
	"RayJob":          podsOfRayJob,
	"RayService":      podsOfRayService,
}

// answers go where the controllers, of which some tell what they do, do not write.
var answers = os.Stdout

func answer(text []byte) error {
	var head struct{ Kind string }
	if err := yaml.Unmarshal(text, &head); err != nil {
		return err
	}
	maker := makers[head.Kind]
	if maker == nil {
		return fmt.Errorf("kind %q is not known", head.Kind)
	}
	made, err := maker(text)
	if err != nil {
		return err
	}
	for _, each := range made {
		line, err := json.Marshal(each)
		if err != nil {
			return err
		}
		fmt.Fprintln(answers, string(line))
	}
	return nil
}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	if nothing, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = nothing
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	for {
		text, err := reader.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := answer(text); err != nil {
			fmt.Fprintln(answers, "error: "+err.Error())
		}
	}
}
