// The page: shows what the program says and asks. All that is known or decided comes from the program in the worker.

const worker = new Worker(
  URL.createObjectURL(new Blob([`import ${JSON.stringify(new URL("worker.js", location).href)};`], { type: "text/javascript" })),
  { type: "module" }, // made of a blob, so that it may connect no further than this page may
);
const $ = (id) => document.getElementById(id);
const EXAMPLES = {
  "a session without any tags": ["session-untagged.md"],
  "a session with tags": ["session.md"],
  "a debate": ["debate-flagged.md"],
  "a log of many sessions": ["calibration-log.jsonl"],
};
const MOST = 5; // of what is said about dropped files
const opened = new Set();
let current = "";

// -- The program -----------------------------------------------------------------------------------------------------

const waiting = new Map();
let calls = 0;
const ready = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => {
    if (data.id === undefined) return data.ready ? resolve() : reject(new Error(data.error));
    const { resolve: done, reject: fail } = waiting.get(data.id);
    waiting.delete(data.id);
    data.error === undefined ? done(data.value) : fail(new Error(data.error));
  };
});

function ask(method, ...args) {
  const id = ++calls;
  worker.postMessage({ id, method, args });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const run = (...command) => ask("call", "run", JSON.stringify(command));

async function json(name, ...command) {
  const { out, err } = await run(...command, "--output-format", "json", "--", name);
  if (!out) throw new Error(err.trim()); // a configuration that can't be used
  return JSON.parse(out);
}

// -- Small things ----------------------------------------------------------------------------------------------------

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

const button = (words, onclick, more = {}) => element("button", { type: "button", onclick: busy(onclick), ...more }, ...[words].flat());

function table(caption, headings, rows) {
  const numbers = headings.map((heading) => heading.endsWith(":"));
  const cells = (name, row) => row.map((cell, n) => element(name, { class: numbers[n] && "n", scope: name === "th" && "col" }, String(cell ?? "")));
  return element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...cells("th", headings.map((heading) => heading.replace(/:$/, ""))))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row))))));
}

function tell(words) {
  $("status").textContent = words;
}

function busy(work) {
  return async (...args) => {
    $("status").classList.add("busy");
    try {
      await work(...args);
    } catch (error) {
      tell(`That did not work: ${error.message}`);
    } finally {
      $("status").classList.remove("busy");
    }
  };
}

function download(name, content, type = "text/markdown") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

// -- Opening ---------------------------------------------------------------------------------------------------------

async function open(files) {
  await ready;
  const [added, said, left] = [new Set(), new Set(), []];
  for (const { name, content } of files) {
    const taken = await ask("open", name, content);
    if (taken.note) added.add(taken.note);
    if (taken.said) said.add(taken.said);
    if (taken.is_left_out && !/(^|\/)\./.test(name)) left.push(name); // not what is hidden in a folder
  }
  added.forEach((name) => opened.add(name));
  list();
  await together();
  const shown = [...added][0] ?? (files.some(({ name }) => name.endsWith(".toml")) && current); // read by what holds now
  if (shown) await show(shown);
  const words = [...(shown ? [$("status").textContent] : []), few([...said], " ")];
  if (left.length) words.push(`Left out, as no Markdown note, recorded session, calibration log or configuration: ${few(left, ", ")}.`);
  tell(words.filter(Boolean).join(" ") || "There is nothing in it to read.");
}

const few = (all, between) => all.slice(0, MOST).join(between) + (all.length > MOST ? ` and ${all.length - MOST} more` : "");

async function dropped(items) {
  const found = [];
  async function walk(entry, folder) {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push({ name: folder + entry.name, content: new Uint8Array(await file.arrayBuffer()) });
    } else {
      const reader = entry.createReader();
      for (let batch; (batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))).length;)
        for (const inner of batch) await walk(inner, `${folder}${entry.name}/`);
    }
  }
  // What comes from another program, such as an attachment of a mail, is a file without an entry.
  const things = items.filter((item) => item.kind === "file").map((item) => [item.webkitGetAsEntry(), item.getAsFile()]);
  for (const [entry, file] of things) {
    if (entry) await walk(entry, "");
    else if (file) found.push({ name: file.name, content: new Uint8Array(await file.arrayBuffer()) });
  }
  await open(found);
}

async function chosen({ target }) {
  const files = [...target.files];
  await open(await Promise.all(files.map(async (file) => ({
    name: file.webkitRelativePath || file.name, content: new Uint8Array(await file.arrayBuffer()),
  }))));
  target.value = "";
}

async function example(names) {
  const fetched = names.map(async (name) => ({ name, content: new Uint8Array(await (await fetch(`examples/${name}`)).arrayBuffer()) }));
  await open(await Promise.all(fetched));
}

function list() {
  $("notes").replaceChildren(...[...opened].sort().map((name) => button(name, () => show(name), { "aria-current": name === current && "true" })));
  $("notes").hidden = opened.size < 2;
}

// -- One note --------------------------------------------------------------------------------------------------------

async function show(name, focus = true) {
  tell(`Reading ${baseName(name)}`);
  const [{ files: [reading], errors: [wrong] }, { files: [register] }] = [await json(name, "turns"), await json(name, "events")];
  if (wrong) {
    opened.delete(name);
    list();
    return tell(`${baseName(name)} is left out: ${wrong.message}`);
  }
  current = name;
  list();
  const open = await ask("call", "asks", name);
  const isSession = reading.kind !== "debate";
  const isSurvey = open.items !== undefined;
  const parts = [element("h2", {}, `2. ${baseName(name)}`), isSurvey ? null : speakers(reading)];
  if (isSession || open.speakers || !reading.turns.length) parts.push(await questions(name, open));
  if (isSession) parts.push(await verdict(name, reading, isSurvey), registered(register));
  parts.push(await page(name, isSession));
  $("note").replaceChildren(...parts.filter(Boolean));
  $("note").hidden = false;
  tell(`${baseName(name)} is read.`);
  if (focus) $("note").focus();
}

function speakers(reading) {
  const voices = new Map();
  for (const turn of reading.turns) {
    const voice = voices.get(turn.speaker) ?? { kind: turn.kind, turns: 0, words: 0 };
    voices.set(turn.speaker, { ...voice, turns: voice.turns + 1, words: voice.words + turn.words });
  }
  const unsure = reading.turns.length && reading.reading === "unsure";
  return element("section", { class: "card", "aria-label": "Who speaks" },
    element("h3", {}, "Who speaks"),
    unsure ? element("p", { class: "note" }, "How to read this file is not sure. The likeliest reading:") : null,
    voices.size ? table("The voices", ["voice", "kind", "turns:", "words:"], [...voices].map(([voice, { kind, turns, words }]) => [voice, kind, turns, words])) : element("p", {}, "No turns are seen in this file."));
}

async function verdict(name, reading, isSurvey) {
  const said = await run("verdict", "--check", "--", name);
  if (!said.out && !reading.turns.length) return null; // neither a chat nor a log
  const section = element("section", { class: "card", "aria-label": "Verdict" }, element("h3", {}, "Verdict"));
  const lines = (said.out + said.err).trim().split("\n").map((line) => line.replace(`${name}: `, ""));
  if (/not reviewed yet/.test(lines[0])) lines[0] = "No event is marked yet: the questions above find and mark them.";
  section.append(element("p", { class: "sentence" }, lines[0]), ...lines.slice(1).map((line) => element("p", { class: "note" }, line.trim())));
  section.append(element("p", { class: "row" },
    button("Write the verdict into the note", async () => {
      const done = await run("verdict", "--", name);
      await show(name, false);
      await together();
      tell((done.out + done.err).trim());
    }),
    button("Download the note", async () => download(baseName(name), await ask("read", name))),
    isSurvey ? null : button("Download the log's line", async () => {
      const line = await ask("call", "log_line", name);
      if (line) download(`${baseName(name)}.jsonl`, `${line}\n`, "application/jsonl");
      else tell("There is no line yet: write the verdict first.");
    })));
  return section;
}

function registered(register) {
  if (!register || !(register.events.length + register.tallies.length)) return null;
  const rows = register.events.map(({ line, speaker, event, reason, A_P, A_R, A_T }) => [line, speaker, event, reason, A_P, A_R, A_T]);
  return element("section", { class: "card", "aria-label": "Register" }, element("h3", {}, "Register"),
    table("Every event, with the running totals", ["line:", "speaker", "event", "reason", "A_P:", "A_R:", "A_T:"], rows));
}

async function page(name, isSession) {
  const made = await run("report", "--output-format", "html", "--", name);
  if (!made.out) return null;
  return element("section", { "aria-label": "Page" },
    element("h3", {}, isSession ? "The session as a page" : "The debate as a page"),
    element("p", {}, button("Download the page", async () => download(`${baseName(name)}.html`, made.out, "text/html"))),
    element("iframe", { title: `${baseName(name)} as a page`, sandbox: "allow-downloads", srcdoc: made.out }));
}

// -- Questions -------------------------------------------------------------------------------------------------------

async function questions(name, open) {
  const { files: [ranking] } = await json(name, "events", "--candidates");
  const replies = ranking?.candidates.length ?? 0;
  const place = element("div");
  const go = async (every) => step(await ask("call", "begin", name, every));
  let said = `${open.events} of ${replies} replies may hold an event; a turn with a tag is not asked about again.`;
  if (open.items !== undefined) said = `${open.events} of ${open.items} items of this survey are open.`;
  else if (open.speakers) said = "Who speaks is asked first.";
  else if (!replies) said = "Nothing says who speaks: show which lines do.";
  place.append(
    element("p", { class: "note" }, said),
    element("p", { class: "row" },
      button("Go through the questions", () => go(false)),
      replies > open.events ? button("Ask about every reply", () => go(true)) : null));

  async function step(next) {
    if (next.ended) {
      await show(name, false);
      await together();
      tell([...next.said.filter(Boolean), "All that you answered is written into the note."].join(" "));
      return $("note").focus();
    }
    const answer = busy(async (key) => step(await ask("call", "answer", name, key)));
    const { question, about, keys } = next;
    const choices = (of) => element("p", { class: "row" },
      ...Object.entries(of).map(([key, words]) => button([element("kbd", {}, key), ` ${words}${key === question.offer ? " (Enter)" : ""}`], () => answer(key))));
    const card = element("div", {
      role: "group", tabindex: -1, "aria-label": question.asks,
      onkeydown: (event) => {
        const offered = event.key === "Enter" && event.target === card && question.offer;
        const key = offered || (event.key.length === 1 ? event.key.toLowerCase() : "");
        if (event.ctrlKey || event.metaKey || event.altKey || !(key in question.answers || key in keys)) return;
        event.preventDefault();
        answer(key);
      },
    },
    ...next.said.filter(Boolean).map((words) => element("p", { class: "note" }, words)),
    ...about.map(({ title, text }) => element("div", {}, element("strong", {}, title), text ? element("blockquote", { tabindex: 0 }, text) : null)),
    element("p", { class: "sentence" }, question.asks),
    question.because ? element("p", {}, element("span", { class: "seen" }, `seen: ${question.because}`)) : null,
    choices(question.answers), choices(keys));
    place.replaceChildren(card);
    card.focus();
  }
  return element("section", { class: "card", "aria-label": "Questions" }, element("h3", {}, "Questions"), place);
}

// -- Several notes ---------------------------------------------------------------------------------------------------

async function together() {
  const logs = await ask("call", "logs", JSON.stringify([...opened]));
  $("together").hidden = !logs.length;
  if (!logs.length) return;
  const made = await run("history", "--output-format", "html", "--", ...logs);
  const taking = (log) => button(logs.length > 1 ? `Download ${log}` : "Download the log", async () => download(baseName(log), await ask("read", log), "application/jsonl"));
  $("together").replaceChildren(
    element("h2", { id: "together-title" }, "3. All sessions"),
    element("p", { class: "row" },
      button("Judge every opened note", async () => {
        const done = await run("verdict", "--quiet", "--", ...opened);
        if (current) await show(current, false);
        await together();
        tell((done.out + done.err).trim());
      }),
      ...logs.map(taking)),
    made.err.trim() ? element("p", { class: "note" }, made.err.trim()) : "",
    element("iframe", { title: "The history of all sessions", sandbox: "", srcdoc: made.out }));
}

// -- Wiring ----------------------------------------------------------------------------------------------------------

const drop = $("drop");
// All of the page takes what is dropped: beside the frame, too, where the browser would leave the page for the file.
document.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
document.addEventListener("dragleave", () => drop.classList.remove("over"));
document.addEventListener("drop", busy(async (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  await dropped([...event.dataTransfer.items]);
}));
$("files").addEventListener("change", busy(chosen));
$("folder").addEventListener("change", busy(chosen));
for (const [words, names] of Object.entries(EXAMPLES)) $("examples").append(button(words, () => example(names)));
ready.then(() => tell("Ready."), (error) => tell(`The program could not be loaded: ${error.message}`));
if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js").catch(() => {});
window.mdtally = { ask, run }; // for tests and for who is curious
