// The reader's settings for this browser: kept in its storage and shared by its tabs.

const KEY = "wakeful.settings";
const DEFAULTS = {
  // system, light or dark
  theme: "system",
  timeline: true,
  drawer: true,
  // System notifications about other sessions while no page is in view.
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
    notify(name);
  },
  on: (name, listener) => target.addEventListener(name, () => listener(values[name])),
};

// Applies the theme, now and whenever it changes.
export function startTheme() {
  const apply = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply(settings.get("theme"));
  settings.on("theme", apply);
}

// Another tab changed a setting.
addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  const before = values;
  values = read();
  for (const name of Object.keys(DEFAULTS)) if (before[name] !== values[name]) notify(name);
});

function notify(name) {
  target.dispatchEvent(new Event(name));
}

function read() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    // Written by something else, or cut off: use the defaults.
    return { ...DEFAULTS };
  }
}
