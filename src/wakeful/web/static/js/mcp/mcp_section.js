// The MCP servers in the settings: how each is doing, its tools, and a button that starts it again.

import { api } from "../api.js";
import { el, icon } from "../dom.js";
import { RowView } from "../row_view.js";
import { setSection } from "../settings_page/set_section.js";
import { Keyed } from "../transcript/keyed.js";
import { SIGNS, serverWords } from "./mcp_words.js";

const POLL_MS = 5_000;
// A server that starts is ready soon.
const STARTING_MS = 1_000;

// Lives until the signal is aborted. `mark({hasFailed})` marks the section in the list of sections.
export function mcpSection({ signal, mark }) {
  return new McpSection(signal, mark).element;
}

class McpSection {
  #signal;
  #mark;
  #timer = 0;
  // The names of the servers whose tools are shown.
  #open = new Set();
  #servers = [];
  #lead = el("p", { class: "dim", text: "Loading…" });
  #list = el("ul", { class: "rows", role: "list", hidden: true });
  #rows = new Keyed(this.#list);
  #status = el("p", { class: "field__hint", role: "status" });

  constructor(signal, mark) {
    this.#signal = signal;
    this.#mark = mark;
    this.element = setSection("mcp", "MCP servers", "from the settings file", this.#lead, this.#list, this.#status);
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
    this.#ask();
  }

  async #ask() {
    clearTimeout(this.#timer);
    try {
      const { servers } = await api.get("/api/mcp");
      if (!this.#signal.aborted) this.#draw(servers);
    } catch (error) {
      this.#lead.textContent = error.message;
      this.#lead.hidden = false;
    }
    const isStarting = this.#servers.some((server) => server.state === "starting");
    if (!this.#signal.aborted) this.#timer = setTimeout(() => this.#ask(), isStarting ? STARTING_MS : POLL_MS);
  }

  #draw(servers) {
    this.#servers = servers;
    this.#lead.textContent = "None. Tables [mcp.NAME] in config.toml give the agent the tools of other programs.";
    this.#lead.hidden = servers.length > 0;
    this.#list.hidden = !servers.length;
    const entries = servers.map((server) => ({ key: server.name, isOpen: this.#open.has(server.name), ...server }));
    this.#rows.show(entries, () => new RowView((entry) => this.#row(entry), el("li", { class: "row" })));
    this.#mark({ hasFailed: servers.some((server) => server.state === "failed") });
  }

  #row(server) {
    const [kind, name] = SIGNS[server.state] ?? SIGNS.idle;
    return [
      el("span", { class: `state state--${kind}` }, name ? icon(name) : el("span", { class: "ring" })),
      el("p", { class: "row__title row__title--wrap", text: server.name }),
      el("p", { class: "row__note row__note--wrap", text: serverWords(server) }),
      server.isOpen && toolList(server.tools),
      el("span", { class: "row__side" }, el("span", { class: "row__acts" }, this.#toolsButton(server), this.#restartButton(server))),
    ];
  }

  #toolsButton({ name, tools, isOpen }) {
    if (!tools.length) return null;
    const toggle = () => {
      if (!this.#open.delete(name)) this.#open.add(name);
      this.#draw(this.#servers);
    };
    return button("Tools", `Tools of ${name}`, toggle, { "aria-expanded": String(isOpen) });
  }

  #restartButton({ name, state }) {
    return state === "disabled" ? null : button("Restart", `Restart ${name}`, () => this.#restart(name));
  }

  async #restart(name) {
    try {
      await api.post("/api/mcp/restart", { name });
      this.#status.textContent = `${name} is starting again.`;
    } catch (error) {
      this.#status.textContent = error.message;
    }
    await this.#ask();
  }
}

function toolList(tools) {
  return el("ul", { class: "row__note row__note--wrap mcp-tools", role: "list" }, tools.map((tool) => el("li", {}, el("code", { text: tool.tool }), tool.read_only && " only reads")));
}

function button(words, label, onclick, more = {}) {
  return el("button", { class: "button button--quiet button--small", type: "button", "aria-label": label, onclick, ...more }, words);
}
