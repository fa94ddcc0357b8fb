// Uploads one file and says how far it is, which fetch cannot.

import { ApiError, goToLogin } from "../api.js";

// Returns {done, cancel}: `done` resolves to {id, name, type, size}.
export function upload(file, name, session, onPart) {
  const request = new XMLHttpRequest();
  const query = new URLSearchParams({ name: name.toWellFormed?.() ?? name, ...(session ? { session_id: session } : {}) });
  const done = new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", ({ loaded, total }) => onPart(total ? loaded / total : 0));
    request.addEventListener("load", () => settle(request, resolve, reject));
    request.addEventListener("error", () => reject(new Error("It could not be uploaded: the server does not answer.")));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
  });
  request.open("POST", `/api/attachments?${query}`);
  request.setRequestHeader("content-type", "application/octet-stream");
  request.send(file);
  return { done, cancel: () => request.abort() };
}

function settle(request, resolve, reject) {
  const answer = parsed(request.responseText);
  if (request.status === 200 && answer) return resolve(answer);
  if (request.status === 401) goToLogin();
  const { code = "unknown", message = `The server answered ${request.status}.` } = answer?.error ?? {};
  return reject(new ApiError(request.status, code, message, 0));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
