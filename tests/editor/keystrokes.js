// Measures a language server: its start, the time from a keystroke to the diagnostics, and its memory.
// usage: node keystrokes.js MODULES TRAINYARD [YAML_LANGUAGE_SERVER]
//
// The edits are the same for both servers. Times are those of the client. YAML_LANGUAGE_SERVER is its JavaScript file.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const [modules, trainyard, peer] = process.argv.slice(2);
const { Client } = require("./connection.js")(modules);

const KEYSTROKES = 200;
const SPECS = 1000;
const LINES = 5000;

const job = (n) => `apiVersion: batch/v1
kind: Job
metadata:
  name: job-${n}
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/team/app:v1.2
          command: [python, train.py, --epochs, "3"]
          env:
            - name: DATA
              value: /data
          resources:
            limits: {cpu: "8", memory: 64Gi, nvidia.com/gpu: 8}
          volumeMounts:
            - name: data
              mountPath: /data
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: data}
---
`;
const spec = (n) => `apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata:
  name: job-${n}
  namespace: nlp
spec:
  target: jobset
  image: registry.example.com/team/train:v${n}
  run: {script: train.py, args: [--epochs, "3"]}
  nodes: ${1 + (n % 8)}
  gpusPerNode: 8
  security: {level: baseline}
  env: {DATA: /data, RUN: "${n}"}
`;

const FLEET = `apiVersion: trainyard/v1alpha1
kind: Fleet
metadata: {name: ml}
spec:
  clusters: [{file: clusters/gke.yaml, specs: [specs]}]
  teams: [{name: nlp, namespaces: [nlp], specs: [specs]}]
`;
const CLUSTER = `apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: gke}
spec:
  pools:
    - {name: a3-mega, machine: a3-megagpu-8g, count: 16, network: {fabric: none}}
`;

const percentile = (times, share) => times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const now = () => Number(process.hrtime.bigint()) / 1e6;
const memory = (pid) => Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

// Processor time of a process, in milliseconds.
const worked = (pid) => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

async function started(command, folder) {
  const begin = now();
  const client = new Client(command);
  await client.start(folder);
  return [client, now() - begin];
}

// Types a text into a value again and again: each keystroke is one change, and waits for its diagnostics.
async function type(client, uri, line, column) {
  const times = [];
  for (let i = 0; i < KEYSTROKES; ++i) {
    const version = client.version + 1;
    const begin = now();
    await client.diagnosticsAfter(uri, () => client.edit(uri, line, column, column + (i % 10 === 0 ? i && 9 : 0), "x"),
      (params) => params.version === undefined || params.version >= version);
    times.push(now() - begin);
  }
  return times;
}

async function measure(name, command, folder, file, line, column) {
  const [client, start] = await started(command, folder);
  const uri = "file://" + path.join(folder, file);
  await client.diagnosticsAfter(uri, () => client.open(uri, fs.readFileSync(path.join(folder, file), "utf8")));
  const before = worked(client.process.pid);
  const times = await type(client, uri, line, column);
  const each = (worked(client.process.pid) - before) / KEYSTROKES;
  const used = memory(client.process.pid);
  await client.stop();
  const row = [file, name, start, percentile(times, 0.5), percentile(times, 0.99), each, used];
  console.log("| " + row.map((each) => (typeof each === "number" ? each.toFixed(1) : each)).join(" | ") + " |");
}

async function run() {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "trainyard-keystrokes-")));
  try {
    fs.mkdirSync(path.join(root, ".git"));
    fs.mkdirSync(path.join(root, "specs"));
    const jobs = Math.ceil(LINES / (job(0).split("\n").length - 1));
    fs.writeFileSync(path.join(root, "jobs.yaml"), Array.from({ length: jobs }, (_, n) => job(n)).join(""));
    fs.mkdirSync(path.join(root, "clusters"));
    fs.writeFileSync(path.join(root, "clusters", "gke.yaml"), CLUSTER);
    fs.writeFileSync(path.join(root, "fleet.yaml"), FLEET);
    for (let n = 0; n < SPECS; ++n) fs.writeFileSync(path.join(root, "specs", `job-${n}.yaml`), spec(n));
    console.log("| file | server | start, ms | keystroke, median, ms | 99th percentile, ms | processor, ms | memory, MB |");
    console.log("|---|---|---|---|---|---|---|");
    await measure("trainyard", [trainyard, "lsp"], root, "jobs.yaml", 2511, 17);
    await measure("trainyard", [trainyard, "lsp"], root, "specs/job-7.yaml", 7, 11);
    if (peer === undefined) return;
    fs.mkdirSync(path.join(root, ".vscode"));
    for (const [kind, file, pattern, line, column] of [["batch/v1/Job", "jobs.yaml", "jobs.yaml", 2511, 17],
      ["TrainingJob", "specs/job-7.yaml", "specs/*.yaml", 7, 11]]) {
      const schema = path.join(root, file.replace(/\W/g, "-") + ".schema.json");
      fs.writeFileSync(schema, execFileSync(trainyard, ["schema", "export", "--editor", kind]));
      Client.settings = { yaml: { schemas: { ["file://" + schema]: pattern }, schemaStore: { enable: false } } };
      await measure("yaml-language-server", ["node", peer, "--stdio"], root, file, line, column);
    }
  } finally {
    fs.rmSync(root, { recursive: true });
  }
}

run().catch((error) => {
  console.error(error);
  process.exit(1);
});
