// In the editor: the finding, the edit that mends it and the verdict so far.
const assert = require("assert");
const vscode = require("vscode");

const until = async (ask) => {
  for (let tries = 0; tries < 300; tries++) {
    const found = await ask();
    if (found?.length) return found;
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error("the server gave no answer within 30 s");
};

exports.run = async () => {
  const [uri] = await vscode.workspace.findFiles("*.md");
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  const [finding] = await until(() => vscode.languages.getDiagnostics(uri));
  assert.equal(finding.code.value ?? finding.code, "MDT201");
  const offers = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, finding.range);
  const mend = offers.find((offer) => offer.title.startsWith("Set A_P to 2"));
  assert.ok(await vscode.workspace.applyEdit(mend.edit));
  assert.match(document.getText(), /^A_P: 2 \|/m);
  const [verdict] = await until(async () => {
    const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, finding.range);
    return found.filter((offer) => /SYCOPHANTIC|CALIBRATED/.test(offer.title));
  });
  assert.match(verdict.title, /n=3/);
};
