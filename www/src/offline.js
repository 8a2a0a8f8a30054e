/** Kept by the browser: the page's own files, so that it works without a network. `FILES` and `CACHE` are written in by the build. */
addEventListener("install", (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))));

addEventListener("activate", (event) =>
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name))))),
);

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const kept = () => caches.match(request, { ignoreSearch: true });
  // The page itself is asked for anew, so that a newer one is seen; its files carry a hash in their names.
  event.respondWith(request.mode === "navigate" ? fetch(request).catch(kept) : kept().then((found) => found ?? fetch(request)));
});
