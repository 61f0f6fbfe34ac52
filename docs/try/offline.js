// Keeps every file of the page, so that it opens again without a network. The manifest's version names the store.

const manifest = async () => (await fetch("manifest.json")).json();

async function keep() {
  const { version, files } = await manifest();
  const store = await caches.open(version);
  await store.addAll([...files, "manifest.json"]);
  await self.skipWaiting();
}

async function forget() {
  const { version } = await manifest();
  for (const name of await caches.keys()) if (name !== version) await caches.delete(name);
  await self.clients.claim();
}

const answer = async (request) => (await caches.match(request, { ignoreSearch: true })) ?? fetch(request);

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(forget()));
self.addEventListener("fetch", (event) => event.respondWith(answer(event.request)));
