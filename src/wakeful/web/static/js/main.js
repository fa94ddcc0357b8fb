// Entry point: gives every part of the page its element, then opens what the address names.

import { startAnnouncements } from "./announcements.js";
import { startApprovals } from "./approvals/approvals.js";
import { emit, on } from "./bus.js";
import { startBanners } from "./composer/banners.js";
import { startComposer } from "./composer/composer.js";
import { startOutbox } from "./composer/outbox.js";
import { startQueue } from "./composer/queue.js";
import { openHelp } from "./dialogs/help.js";
import { startDrawer } from "./drawer/drawer.js";
import { startHeader } from "./header/header.js";
import { startHome } from "./home/home.js";
import { learnMe } from "./me.js";
import { startNotifications } from "./news/notifications.js";
import { startPageTitle } from "./page_title.js";
import { isBeginning, nameSession, openHome, startRouter } from "./router.js";
import { startSchedules } from "./schedules/schedules.js";
import { startSeen } from "./seen.js";
import { open, startSession } from "./session/session.js";
import { openSession } from "./session/state.js";
import { startTheme } from "./settings.js";
import { startSettingsPage } from "./settings_page/settings_page.js";
import { startShortcuts } from "./shortcuts.js";
import { startSidebar } from "./sidebar/sidebar.js";
import { startConnection } from "./stream/connection.js";
import { startTimeline } from "./timeline/timeline.js";
import { startToasts } from "./toasts.js";
import { startRevealing } from "./transcript/revealing.js";
import { startTranscript } from "./transcript/transcript.js";

const byId = (id) => document.getElementById(id);

startTheme();
startToasts(byId("toasts"));
startAnnouncements(byId("said"), byId("alert"));
on("show-help", openHelp);
startNotifications();
const sidebar = startSidebar(byId("sidebar"));
const drawer = startDrawer(byId("drawer"));
startHeader(byId("header"));
startTimeline(byId("timeline"));
const home = startHome(byId("home"));
startSettingsPage(byId("settings"), byId("sidebar"));
startSchedules(byId("schedules"));
startTranscript(byId("transcript"), byId("turns"), byId("jump"));
startRevealing(byId("turns"));
startBanners(byId("banners"));
startApprovals(byId("approvals"));
startQueue(byId("queue"));
startComposer(byId("composer"));
startShortcuts({ sidebar, drawer, home });
startPageTitle();
startSeen();
startConnection();
startSession();

// The first message of this page has made a session, which gives it an address. A reader who has moved on stays there.
on("session-begun", ({ id }) => {
  if (!isBeginning() || openSession.id !== null) return;
  nameSession(id);
  open(id);
});

// The message box has the refused text again, and there is no session to show.
on("outbox-refused", ({ entry }) => isBeginning() && entry.session === null && openHome());

learnMe().then(
  () => emit("me"),
  (error) => console.info("could not fetch /api/me:", error.message),
);
startRouter();
startOutbox();
