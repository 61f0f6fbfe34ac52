// The program in a worker: Pyodide, the wheel and its packages, and the calls of bridge.py by name.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const FOLDER = "/notes";
const bytes = async (name) => new Uint8Array(await (await fetch(new URL(name, import.meta.url))).arrayBuffer());

async function load() {
  const manifest = await (await fetch(new URL("manifest.json", import.meta.url))).json();
  const indexURL = new URL("pyodide/", import.meta.url).href;
  const [python, bridge, ...archives] = await Promise.all([
    loadPyodide({ indexURL }), bytes("bridge.py"), ...manifest.archives.map(bytes),
  ]);
  for (const archive of archives) python.unpackArchive(archive, "zip", { extractDir: "/packages" });
  python.FS.writeFile("/packages/bridge.py", bridge);
  python.FS.mkdirTree(`${FOLDER}/.git`); // the root of a project: configuration and log are looked for no higher
  python.FS.chdir(FOLDER);
  python.runPython(`import sys; sys.path.insert(0, "/packages")`);
  return { python, bridge: python.pyimport("bridge") };
}

const loaded = load();

const methods = {
  async open(name, content) {
    const { python, bridge } = await loaded;
    python.FS.writeFile("/dropped", new Uint8Array(content));
    return JSON.parse(bridge.take(name, "/dropped"));
  },
  async read(name) {
    const { python } = await loaded;
    return python.FS.analyzePath(`${FOLDER}/${name}`).exists ? python.FS.readFile(`${FOLDER}/${name}`) : null;
  },
  async call(name, ...args) {
    const { bridge } = await loaded;
    return JSON.parse(bridge[name](...args));
  },
};

self.onmessage = async ({ data: { id, method, args } }) => {
  try {
    self.postMessage({ id, value: await methods[method](...args) });
  } catch (error) {
    self.postMessage({ id, error: String(error.message ?? error) });
  }
};

loaded.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ ready: false, error: String(error) }));
