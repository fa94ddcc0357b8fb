// The page begins here: every part is told its place, then the address says what to open.

import { startAnnouncements } from "./announcements.js";
import { startApprovals } from "./approvals/approvals.js";
import { emit, on } from "./bus.js";
import { startBanners } from "./composer/banners.js";
import { startComposer } from "./composer/composer.js";
import { startOutbox } from "./composer/outbox.js";
import { startQueue } from "./composer/queue.js";
import { startDialogs } from "./dialogs/dialogs.js";
import { startDrawer } from "./drawer/drawer.js";
import { startHeader } from "./header/header.js";
import { startHome } from "./home/home.js";
import { learnMe } from "./me.js";
import { startNotifications } from "./news/notifications.js";
import { startPageTitle } from "./page_title.js";
import { isBeginning, nameSession, openHome, startRouter } from "./router.js";
import { startSeen } from "./seen.js";
import { open, startSession } from "./session/session.js";
import { openSession } from "./session/state.js";
import { startShortcuts } from "./shortcuts.js";
import { startSidebar } from "./sidebar/sidebar.js";
import { startConnection } from "./stream/connection.js";
import { startTheme } from "./theme.js";
import { startTimeline } from "./timeline/timeline.js";
import { startToasts } from "./toasts.js";
import { startRevealing } from "./transcript/revealing.js";
import { startTranscript } from "./transcript/transcript.js";

const place = (id) => document.getElementById(id);

startTheme();
startToasts(place("toasts"));
startAnnouncements(place("said"), place("alert"));
startDialogs();
startNotifications();
const sidebar = startSidebar(place("sidebar"));
const drawer = startDrawer(place("drawer"));
startHeader(place("header"));
startTimeline(place("timeline"));
const home = startHome(place("home"));
startTranscript(place("transcript"), place("turns"), place("jump"));
startRevealing(place("turns"));
startBanners(place("banners"));
startApprovals(place("approvals"));
startQueue(place("queue"));
startComposer(place("composer"));
startShortcuts({ sidebar, drawer, home });
startPageTitle();
startSeen();
startConnection();
startSession();

// The first words of this page have begun a session: now it has an address. Who has gone elsewhere meanwhile stays there.
on("session-begun", ({ id }) => {
  if (!isBeginning() || openSession.id !== null) return;
  nameSession(id);
  open(id);
});

// Words that the server refused are in the box again; there is no session to show.
on("outbox-refused", ({ entry }) => isBeginning() && entry.session === null && openHome());

learnMe().then(
  () => emit("me"),
  (error) => console.info("who is looking is not known yet:", error.message),
);
startRouter();
startOutbox();
