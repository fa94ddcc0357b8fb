// Calls the server. Throws ApiError for an error response and NetworkError for no response.

import { learnTime } from "./server_clock.js";

export class ApiError extends Error {
  constructor(status, code, message, retryAfter) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

class NetworkError extends Error {}

export const api = {
  get: (path, query, options) => ask("GET", withQuery(path, query), undefined, options),
  post: (path, body, options) => ask("POST", path, body, options),
  patch: (path, body, options) => ask("PATCH", path, body, options),
  delete: (path, query, options) => ask("DELETE", withQuery(path, query), undefined, options),
};

// The login page returns to the address in `next`.
export function goToLogin() {
  const { pathname, hash } = location;
  if (pathname !== "/login") location.replace(pathname === "/" ? "/login" : `/login?next=${pathname}${hash}`);
}

function withQuery(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

async function ask(method, path, body, options = {}) {
  const response = await reach(method, path, body, options);
  const answer = await response.json().catch(() => null);
  if (response.ok) return whole(answer);
  if (response.status === 401) goToLogin();
  const error = answer?.error ?? {};
  const wait = Number(response.headers.get("retry-after")) || 0;
  throw new ApiError(
    response.status,
    error.code ?? "unknown",
    error.message ?? `The server answered ${response.status}.`,
    wait,
  );
}

// A body that is no JSON was cut off on its way.
function whole(answer) {
  if (answer === null) throw new NetworkError("The server's answer broke off.");
  return answer;
}

async function reach(method, path, body, options) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  try {
    const response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      signal: options.signal ?? AbortSignal.timeout(options.seconds ? options.seconds * 1000 : 30_000),
    });
    learnTime(response.headers.get("date"));
    return response;
  } catch (cause) {
    if (cause.name === "AbortError") throw cause;
    throw new NetworkError("The server does not answer.", { cause });
  }
}
