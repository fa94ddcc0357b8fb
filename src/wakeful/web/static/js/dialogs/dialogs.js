import { on } from "../bus.js";
import { openHelp } from "./help.js";
import { openSettings } from "./settings_dialog.js";

export function startDialogs() {
  on("show-help", openHelp);
  on("show-settings", openSettings);
}
