// MCP servers in words.

// By state: the kind of the sign, and its icon; null: a ring that turns.
export const SIGNS = {
  ready: ["ok", "ok"],
  starting: ["live", null],
  idle: ["off", "pause"],
  failed: ["fail", "fail"],
  disabled: ["off", "stop"],
};

export function serverWords(server) {
  const parts = [stateWords(server), toolWords(server), restartWords(server)];
  return parts.filter(Boolean).join(" · ");
}

// {server, tool} of a tool's offered name; null for a tool of another kind.
export function readMcpName(name) {
  const found = /^mcp__([a-z0-9_-]+?)__(.+)$/.exec(name ?? "");
  return found && { server: found[1], tool: found[2] };
}

function stateWords({ state, error, tools }) {
  if (state === "disabled") return "disabled in the settings file";
  if (state === "failed") return `failed: ${error}. The next call or turn tries again`;
  if (state === "starting") return tools.length ? "starting; its tools of last time are offered already" : "starting";
  if (state === "idle") return "starts with the next turn";
  return error;
}

function toolWords({ state, tools, trust }) {
  if (!tools.length) return state === "ready" ? "no tools" : "";
  const reading = tools.filter((tool) => tool.read_only).length;
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  const kinds = !reading ? count : reading === tools.length ? `${count}, all only read` : `${count}, ${reading} of them only read`;
  if (trust || reading === tools.length) return kinds;
  return `${kinds} · asks before ${reading ? "the others" : "each call"}`;
}

function restartWords({ restarts }) {
  return !restarts ? "" : restarts === 1 ? "restarted once" : `restarted ${restarts} times`;
}
