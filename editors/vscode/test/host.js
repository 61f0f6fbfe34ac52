// Starts Visual Studio Code without a screen (xvfb-run, on a machine that has none) and runs suite.js in it.
const fs = require("fs");
const os = require("os");
const path = require("path");
const { runTests } = require("@vscode/test-electron");

const project = path.resolve(__dirname, "../../..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "a b ä#1 "));
fs.mkdirSync(path.join(folder, ".git"));
fs.copyFileSync(path.join(project, "examples/mismatch.md"), path.join(folder, "mis[match] 100%.md"));

runTests({
  extensionDevelopmentPath: path.resolve(__dirname, ".."),
  extensionTestsPath: path.join(__dirname, "suite.js"),
  launchArgs: [folder, "--disable-workspace-trust"],
}).catch((error) => {
  console.error(error);
  process.exit(1);
});
