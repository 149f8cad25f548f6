#!/usr/bin/env node
// Starts the program from the package for this system, and ends as it ends.
"use strict";

const { spawnSync } = require("node:child_process");
const name = `@trainyard/${process.platform}-${process.arch}`;

let program;
try {
  program = require.resolve(`${name}/trainyard`);
} catch {
  console.error(
    `trainyard: the package ${name} is not installed.\n` +
      "Trainyard has packages for linux-x64 and linux-arm64; npm leaves them out with --omit=optional."
  );
  process.exit(127);
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`trainyard: cannot start ${program}: ${ended.error.message}`);
  process.exit(126);
}
if (ended.signal) process.kill(process.pid, ended.signal);
process.exitCode = ended.status ?? 1;
