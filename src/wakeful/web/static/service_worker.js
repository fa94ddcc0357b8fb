// Handles clicks on notifications, which may come when every page is closed. It caches nothing.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openSession(event.notification.data?.session));
});

async function openSession(session) {
  if (typeof session !== "string") return;
  const path = `/s/${encodeURIComponent(session)}`;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === path) ?? pages.find(isOurs);
  if (!page) return void (await self.clients.openWindow(path));
  page.postMessage({ open: session });
  await page.focus();
}

// Other pages of this origin, like the API's documentation, cannot open a session.
function isOurs({ url }) {
  const { pathname } = new URL(url);
  return pathname === "/" || pathname.startsWith("/s/");
}
