// Runs once for all tabs of a browser: they share one line.

import { Hub } from "./hub.js";

const hub = new Hub();

self.addEventListener("connect", ({ ports: [port] }) => {
  const tell = (message) => port.postMessage(message);
  port.addEventListener("message", ({ data }) => hub.hear(port, tell, data));
  port.start();
});
