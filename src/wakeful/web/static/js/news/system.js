// System notifications. A service worker shows them: Android allows nothing else, and clicks work even after the page
// has been closed.

import { openSessionById } from "../router.js";
import { workerUrl } from "../trusted.js";

const WORKER = new URL("../../service_worker.js", import.meta.url);

export function startSystem() {
  if (mayNotify()) register();
  // A click on a notification while this page is open.
  navigator.serviceWorker?.addEventListener("message", ({ data }) => data?.open && openSessionById(data.open));
}

export function mayNotify() {
  return "Notification" in globalThis && Notification.permission === "granted";
}

export async function askToNotify() {
  if (!("Notification" in globalThis)) return false;
  if ((await Notification.requestPermission()) !== "granted") return false;
  await register();
  return true;
}

// The tag is unique to the news, so thirty tabs show one notification.
export async function showNotification(title, { body, session, news }) {
  const tag = `wakeful-${session}-${news}`;
  const registration = await register();
  if (registration) await registration.showNotification(title, { body, tag, data: { session } });
  else showFromPage(title, { body, tag }, session);
}

// Null when the browser has no service workers or refuses ours.
async function register() {
  try {
    await navigator.serviceWorker.register(workerUrl(WORKER), { scope: "/", updateViaCache: "none" });
    return await navigator.serviceWorker.ready;
  } catch (error) {
    console.info("no service worker:", error.message);
    return null;
  }
}

function showFromPage(title, options, session) {
  try {
    const notification = new Notification(title, options);
    notification.onclick = () => {
      focus();
      openSessionById(session);
      notification.close();
    };
  } catch (error) {
    console.info("no notification:", error.message);
  }
}
