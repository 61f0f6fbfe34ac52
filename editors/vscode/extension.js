// A client for `mdtally lsp` and nothing else: what is found, shown and offered is the server's.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const MISSING = "mdtally could not be started. Install it with its language server (in a clone: pipx install '.[lsp]'; where it is installed: pipx inject mdtally 'pygls>=2,<3'), or say in the setting mdtally.command where it is.";

let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("mdtally").get("command");
  const documentSelector = [
    { language: "markdown", scheme: "file" },
    { language: "markdown", scheme: "untitled" },
  ];
  client = new LanguageClient("mdtally", "mdtally", { command, args }, { documentSelector });
  try {
    await client.start();
  } catch {
    window.showErrorMessage(MISSING);
  }
};

exports.deactivate = () => client?.stop();
