// Runs once per browser: all tabs share its connection.

import { Hub } from "./hub.js";

const hub = new Hub();

self.addEventListener("connect", ({ ports: [port] }) => {
  const send = (message) => port.postMessage(message);
  port.addEventListener("message", ({ data }) => hub.receive(port, send, data));
  port.start();
});
