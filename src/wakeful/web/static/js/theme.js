import { settings } from "./settings.js";

export function startTheme() {
  const apply = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply(settings.get("theme"));
  settings.on("theme", apply);
}
