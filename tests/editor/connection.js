// A client of a language server: `vscode-languageserver-protocol` over the pipes of a process.
// `require("./connection.js")(MODULES)` takes the folder node_modules that has it.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

module.exports = function (modules) {
  const protocol = require(path.join(modules, "vscode-languageserver-protocol/node"));

  class Client {
    constructor(command, options = {}) {
      this.process = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"], ...options });
      this.ended = new Promise((resolve) => this.process.on("exit", (code) => resolve(code)));
      this.connection = protocol.createProtocolConnection(
        new protocol.StreamMessageReader(this.process.stdout), new protocol.StreamMessageWriter(this.process.stdin));
      this.waiting = []; // for diagnostics
      this.latest = new Map(); // diagnostics by URI
      this.registered = [];
      this.connection.onNotification("textDocument/publishDiagnostics", (params) => {
        this.latest.set(params.uri, params);
        this.waiting = this.waiting.filter((each) => !each(params));
      });
      this.connection.onRequest("client/registerCapability", (params) => {
        this.registered.push(...params.registrations);
        return null;
      });
      this.connection.onRequest("workspace/configuration", (params) =>
        params.items.map((item) => (Client.settings || {})[item.section] ?? null));
      this.connection.listen();
      this.version = 1;
    }

    async start(folder, encodings = ["utf-16"], options = {}) {
      const result = await this.connection.sendRequest("initialize", {
        processId: process.pid,
        rootUri: folder === null ? null : "file://" + folder,
        workspaceFolders: folder === null ? null : [{ uri: "file://" + folder, name: "tests" }],
        initializationOptions: options,
        capabilities: {
          general: { positionEncodings: encodings },
          workspace: { didChangeWatchedFiles: { dynamicRegistration: true }, workspaceFolders: true, configuration: true },
          textDocument: { publishDiagnostics: { relatedInformation: true, versionSupport: true } },
        },
      });
      await this.connection.sendNotification("initialized", {});
      return result;
    }

    // The diagnostics that follow what `act` does, of one document.
    async diagnosticsAfter(uri, act, fits = () => true) {
      const next = new Promise((resolve) => {
        this.waiting.push((params) => {
          if (params.uri !== uri || !fits(params)) return false;
          resolve(params.diagnostics);
          return true;
        });
      });
      await act();
      return next;
    }

    open(uri, text) {
      return this.connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "yaml", version: this.version, text },
      });
    }

    edit(uri, line, from, to, text) {
      const range = { start: { line, character: from }, end: { line, character: to } };
      return this.connection.sendNotification("textDocument/didChange", {
        textDocument: { uri, version: ++this.version },
        contentChanges: [{ range, text }],
      });
    }

    at(uri, line, character, more = {}) {
      return { textDocument: { uri }, position: { line, character }, ...more };
    }

    request(method, params, token) {
      return token ? this.connection.sendRequest(method, params, token) : this.connection.sendRequest(method, params);
    }

    async stop() {
      await this.connection.sendRequest("shutdown");
      await this.connection.sendNotification("exit");
      return this.ended;
    }
  }

  return { Client, protocol };
};
