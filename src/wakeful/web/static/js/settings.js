// What the reader has chosen, for this browser: kept in its storage, shared by its tabs.

const KEY = "wakeful.settings";
const DEFAULTS = {
  // system, light or dark
  theme: "system",
  timeline: true,
  drawer: true,
  // System notifications when a wake-up finishes in a hidden tab.
  notify: false,
  // Reasoning shown unfolded.
  reasoning: false,
  // Single-key shortcuts.
  shortcuts: true,
  // What Enter does while a turn runs: queue or steer.
  busy: "queue",
};

const target = new EventTarget();
let values = read();

export const settings = {
  get: (name) => values[name],
  set(name, value) {
    values = { ...values, [name]: value };
    localStorage.setItem(KEY, JSON.stringify(values));
    tell(name);
  },
  on: (name, listener) => target.addEventListener(name, () => listener(values[name])),
};

// Another tab has changed something.
addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  const before = values;
  values = read();
  for (const name of Object.keys(DEFAULTS)) if (before[name] !== values[name]) tell(name);
});

function tell(name) {
  target.dispatchEvent(new Event(name));
}

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    // Not ours, or cut off: begin anew.
    return { ...DEFAULTS };
  }
}
