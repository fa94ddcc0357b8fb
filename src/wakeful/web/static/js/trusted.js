// The one door for markup: html that our server has rendered and cleaned, and the address of our worker.

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
