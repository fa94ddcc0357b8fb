// The only place that turns strings into markup or script addresses: html that our server rendered and sanitized, and
// the addresses of our own workers.

const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("wakeful", { createHTML: (html) => html, createScriptURL: ownAddress })
  : { createHTML: (html) => html, createScriptURL: ownAddress };

export function setHtml(element, html) {
  element.innerHTML = policy.createHTML(html);
}

export function workerUrl(url) {
  return policy.createScriptURL(url);
}

function ownAddress(url) {
  const address = new URL(url, location.href);
  if (address.origin !== location.origin) throw new TypeError("A worker must come from our own origin.");
  return address.href;
}
