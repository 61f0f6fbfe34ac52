// Where no editor can be installed: the built extension in Node, with as much of the editor's interface as a client needs.
// It starts the real server, opens a note at an encoded address, and waits for what the server finds.
const assert = require("assert");
const fs = require("fs");
const Module = require("module");
const os = require("os");
const path = require("path");
const { URI } = require("vscode-uri");

const project = path.resolve(__dirname, "../../..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "a b ä#1 "));
fs.mkdirSync(path.join(folder, ".git"));
const note = path.join(folder, "mis[match] 100%.md");
fs.copyFileSync(path.join(project, "examples/mismatch.md"), note);
const text = fs.readFileSync(note, "utf8");
const opened = { uri: URI.file(note), languageId: "markdown", version: 1, isClosed: false, getText: () => text };

class Emitter {
  listeners = [];
  event = (listen) => (this.listeners.push(listen), { dispose() {} });
  fire(value) {
    this.listeners.forEach((listen) => listen(value));
  }
  dispose() {}
}
class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}
class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}
class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }
}

let published;
const found = new Promise((go) => (published = go));
const nothing = () => new Disposable();
// Anything that is asked for and not named here: a function or class that does nothing, with such members.
const anything = (known = {}) =>
  new Proxy(Object.assign(class { dispose() {} }, known), {
    get: (target, name) => (name in target || typeof name === "symbol" || name === "then" ? target[name] : (target[name] = anything())),
    apply: () => anything({ dispose() {} }),
  });
const command = JSON.parse(process.env.MDTALLY_COMMAND ?? '["mdtally", "lsp"]');
const vscode = anything({
  EventEmitter: Emitter, Position, Range, Diagnostic, Disposable, Uri: URI, version: "1.90.0",
  CancellationTokenSource: class { token = { onCancellationRequested: nothing }; dispose() {} },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  env: { language: "en", appName: "standin" },
  languages: anything({
    match: (selector, document) => (document.languageId === "markdown" ? 10 : 0),
    createDiagnosticCollection: () => ({ set: (uri, all) => all?.length && published([uri, all]), dispose() {}, clear() {} }),
  }),
  window: anything({
    createOutputChannel: () => ({ appendLine() {}, append() {}, show() {}, dispose() {} }),
    showErrorMessage: (message) => assert.fail(message),
    visibleTextEditors: [],
    onDidChangeActiveTextEditor: nothing,
  }),
  workspace: anything({
    textDocuments: [opened], notebookDocuments: [], workspaceFolders: undefined,
    getConfiguration: () => ({ get: (name, other) => (name === "command" ? command : other) }),
    getWorkspaceFolder: () => undefined,
  }),
});
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

(async () => {
  const extension = require("../dist/extension.js");
  await extension.activate({ subscriptions: [] });
  const [uri, [finding]] = await found;
  assert.equal(uri.toString(), opened.uri.toString());
  assert.equal(finding.code?.value ?? finding.code, "MDT201");
  console.log("the extension starts the server, and shows what it finds");
  await extension.deactivate();
  process.exit(0);
})().catch((error) => (console.error(error), process.exit(1)));
setTimeout(() => (console.error("no answer within 60 s"), process.exit(1)), 60000);
