// Command argocd-cmp is the plugin server of Argo CD, asked as the repo server asks it: over gRPC, with the repository as a
// stream.
//
// usage: argocd-cmp CONFIG_FOLDER REPOSITORY APPLICATION_FOLDER [NAME=VALUE...]
//
// Prints one JSON object: whether the plugin takes the application, its parameters, its objects; or an error.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/cmpserver/plugin"
	"github.com/argoproj/argo-cd/v3/util/cmp"
)

type answers struct {
	Supported  bool     `json:"supported"`
	Parameters []string `json:"parameters"`
	Manifests  []string `json:"manifests"`
	Error      string   `json:"error"`
}

// serve starts the server, and returns a connection to it.
func serve(folder string) (*grpc.ClientConn, error) {
	config, err := plugin.ReadPluginConfig(folder)
	if err != nil {
		return nil, err
	}
	service := plugin.NewService(plugin.CMPServerInitConstants{PluginConfig: *config})
	if err := service.Init(filepath.Join(os.Getenv("ARGOCD_CMP_WORKDIR"), "_cmp_server")); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	apiclient.RegisterConfigManagementPluginServiceServer(server, service)
	go func() { _ = server.Serve(listener) }()
	return grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
}

func ask(arguments []string) (answers, error) {
	var told answers
	connection, err := serve(arguments[0])
	if err != nil {
		return told, err
	}
	client := apiclient.NewConfigManagementPluginServiceClient(connection)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	send := func(stream cmp.StreamSender) error {
		return cmp.SendRepoStream(ctx, arguments[2], arguments[1], stream, arguments[3:], nil)
	}

	match, err := client.MatchRepository(ctx)
	if err != nil {
		return told, err
	}
	if err := send(match); err != nil {
		return told, err
	}
	matched, err := match.CloseAndRecv()
	if err != nil {
		return told, err
	}
	told.Supported = matched.GetIsSupported()
	if !told.Supported {
		return told, nil
	}

	parameters, err := client.GetParametersAnnouncement(ctx)
	if err != nil {
		return told, err
	}
	if err := send(parameters); err != nil {
		return told, err
	}
	announced, err := parameters.CloseAndRecv()
	if err != nil {
		return told, err
	}
	for _, each := range announced.GetParameterAnnouncements() {
		told.Parameters = append(told.Parameters, each.GetName())
	}

	generate, err := client.GenerateManifest(ctx)
	if err != nil {
		return told, err
	}
	if err := send(generate); err != nil {
		return told, err
	}
	generated, err := generate.CloseAndRecv()
	if err != nil {
		return told, err
	}
	told.Manifests = generated.GetManifests()
	return told, nil
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: argocd-cmp CONFIG_FOLDER REPOSITORY APPLICATION_FOLDER [NAME=VALUE...]")
		os.Exit(2)
	}
	told, err := ask(os.Args[1:])
	if err != nil {
		told.Error = err.Error()
	}
	text, err := json.Marshal(told)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
}
