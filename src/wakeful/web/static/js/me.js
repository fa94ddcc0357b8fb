// The person who is logged in, and the server.

import { api } from "./api.js";

export const me = { name: "", is_operator: false, host: location.hostname, version: "", model: "", mode: "accept_edits", sandbox: "none", has_password: false, undo_seconds: 30, config_file: null };

export async function learnMe() {
  Object.assign(me, await api.get("/api/me"));
}
