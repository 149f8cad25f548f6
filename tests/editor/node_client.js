// A client on vscode-languageserver-protocol uses all that the server offers.
// usage: node node_client.js MODULES TRAINYARD
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const [modules, trainyard] = process.argv.slice(2);
const { Client, protocol } = require("./connection.js")(modules);

const HEAD = `apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: llama}
spec:
  security: {level: baseline}
  image: registry.example/train:1.0
  run: {script: train.py}
`;
const CLUSTER = `apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: gke}
spec:
  pools:
    - name: a3-mega
      machine: a3-megagpu-8g
      count: 16
      network: {fabric: none}
`;

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "trainyard-editor-")));
const write = (name, text) => fs.writeFileSync(path.join(root, name), text);
const uri = (name) => "file://" + path.join(root, name);

async function run() {
  fs.mkdirSync(path.join(root, ".git"));
  write("cluster.yaml", CLUSTER);
  const client = new Client([trainyard, "lsp"]);
  const { capabilities, serverInfo } = await client.start(root);
  assert.equal(serverInfo.name, "trainyard");
  assert.equal(capabilities.positionEncoding, "utf-16");

  const spec = uri("job.yaml");
  let found = await client.diagnosticsAfter(spec, () => client.open(spec, HEAD + "  node: 2\n"));
  assert.equal(found.length, 1);
  assert.equal(found[0].code, "unknown-field");
  const actions = await client.request("textDocument/codeAction", {
    textDocument: { uri: spec }, range: found[0].range, context: { diagnostics: found },
  });
  const [edit] = actions[0].edit.changes[spec];
  found = await client.diagnosticsAfter(spec, () =>
    client.edit(spec, edit.range.start.line, edit.range.start.character, edit.range.end.character, edit.newText));
  assert.deepEqual(found, [], "the quick fix mends it");

  // An emoji is two characters in UTF-16.
  found = await client.diagnosticsAfter(spec, () => client.edit(spec, 6, 7, 25, '{script: "\u{1F600}", x: 1}'));
  assert.deepEqual(found[0].range.start, { line: 6, character: 22 });
  await client.diagnosticsAfter(spec, () => client.edit(spec, 6, 7, 28, "{script: train.py}"), (all) => !all.diagnostics.length);

  await client.edit(spec, 8, 0, 0, "  pool: \n");
  const { items } = await client.request("textDocument/completion", client.at(spec, 8, 8));
  assert.ok(items.some((item) => item.label === "a3-mega"), "the pools of the Cluster are offered");
  await client.edit(spec, 8, 8, 8, "a3-mega");

  const hover = await client.request("textDocument/hover", client.at(spec, 7, 3));
  assert.match(hover.contents.value, /spec\.nodes/);
  const definition = await client.request("textDocument/definition", client.at(spec, 8, 10));
  assert.equal(definition[0].uri, uri("cluster.yaml"));
  const [lens] = await client.request("textDocument/codeLens", { textDocument: { uri: spec } });
  assert.match(lens.command.title, /^compiles to \d+ objects?, 16 GPUs, fits pool a3-mega$/);
  const symbols = await client.request("textDocument/documentSymbol", { textDocument: { uri: spec } });
  assert.equal(symbols[0].name, "TrainingJob llama");
  const folds = await client.request("textDocument/foldingRange", { textDocument: { uri: spec } });
  assert.ok(folds.length > 1);
  const renamed = await client.request("textDocument/rename", client.at(spec, 2, 19, { newName: "llama3" }));
  assert.equal(renamed.changes[spec][0].newText, "llama3");
  await assert.rejects(client.request("textDocument/rename", client.at(spec, 2, 19, { newName: "A B" })), /lower-case|has/);
  const layout = await client.request("textDocument/formatting", {
    textDocument: { uri: spec }, options: { tabSize: 2, insertSpaces: true },
  });
  assert.ok(Array.isArray(layout));

  // The Cluster changes on the disk, and the client says so.
  assert.ok(client.registered.some((each) => each.method === "workspace/didChangeWatchedFiles"));
  write("cluster.yaml", CLUSTER.replace("a3-mega\n", "other\n"));
  found = await client.diagnosticsAfter(spec, () => client.connection.sendNotification(
    "workspace/didChangeWatchedFiles", { changes: [{ uri: uri("cluster.yaml"), type: 2 }] }));
  assert.match(found[0].message, /a3-mega/);

  // Cancelled while it waits: the answer is an error or the result, and comes soon.
  const source = new protocol.CancellationTokenSource();
  const slow = client.request("textDocument/references", client.at(spec, 2, 19, { context: { includeDeclaration: true } }), source.token);
  source.cancel();
  await slow.catch((error) => assert.equal(error.code, protocol.LSPErrorCodes.RequestCancelled));

  assert.equal(await client.stop(), 0);
  const other = new Client([trainyard, "lsp"]);
  const utf8 = await other.start(null, ["utf-8", "utf-16"]);
  assert.equal(utf8.capabilities.positionEncoding, "utf-8");
  other.process.stdin.end();
  assert.equal(await other.ended, 1, "the end of the input without `exit` is a failure");
}

run().then(() => console.log("all is well")).finally(() => fs.rmSync(root, { recursive: true })).catch((error) => {
  console.error(error);
  process.exit(1);
});
