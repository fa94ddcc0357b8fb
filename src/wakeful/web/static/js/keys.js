// Every shortcut: what it does, the keys to show, and the action to run. The message box handles those without `key`.

export const KEYS = [
  {
    name: "Everywhere",
    keys: [
      { does: "Home", show: ["h"], key: "h", run: "home" },
      { does: "Schedules", show: ["s"], key: "s", run: "schedules" },
      { does: "New session", show: ["n"], key: "n", run: "new" },
      { does: "Search", show: ["/"], key: "/", run: "search" },
      { does: "Next session", show: ["j"], key: "j", run: "next" },
      { does: "Previous session", show: ["k"], key: "k", run: "previous" },
      { does: "Next that needs you", show: ["u"], key: "u", run: "needs" },
      { does: "This help", show: ["?"], key: "?", run: "help" },
    ],
  },
  {
    name: "Writing",
    keys: [
      { does: "To the message box", show: ["i"], key: "i", run: "write" },
      { does: "Send, or queue", show: ["⏎"] },
      { does: "New line", show: ["⇧", "⏎"] },
      { does: "Steer the running turn", show: ["Ctrl", "⏎"] },
      { does: "Edit your last message", show: ["↑"] },
    ],
  },
  {
    name: "Session",
    keys: [
      { does: "Stop the turn", show: ["Esc"] },
      { does: "Background work", show: ["b"], key: "b", run: "drawer" },
      { does: "Timeline", show: ["t"], key: "t", run: "timeline" },
      { does: "Next wake-up", show: ["]"], key: "]", run: "next-wake" },
      { does: "Previous wake-up", show: ["["], key: "[", run: "previous-wake" },
    ],
  },
];
