// The login page. The token in a link logs in at once; without one, the person types a token or the password.

const form = document.getElementById("login");
const errors = document.getElementById("error");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = form.elements.token.value.trim();
  // The server leaves this field out when it has no password.
  const password = form.elements.password?.value;
  if (token || password) logIn(token ? { token } : { password });
  else say(form.elements.password ? "Type the token, or the password." : "Type the token.");
});

// Where to go after the login.
let next = "/";

begin();
// Opening a login link in a tab that shows this page only changes the hash.
addEventListener("hashchange", begin);

// Browsers send the part after the # to no server. The token leaves the address, and so the history, at once. What the
// server put into the query moves behind the #, so that a login link in the same tab does not lose it.
function begin() {
  const given = new URLSearchParams(location.hash.slice(1));
  const wanted = wantedPage() ?? given.get("next") ?? "";
  if (/^\/(settings|s\/[A-Za-z0-9_.:-]+|schedules(\/[A-Za-z0-9_.:-]+)?)(#[a-z]+)?$/.test(wanted)) next = wanted;
  history.replaceState(null, "", next === "/" ? "/login" : `/login#next=${next.replace("#", "%23")}`);
  if (given.has("token")) logIn({ token: given.get("token") });
  else goOnIfKnown();
}

// The page that led here, with the section of it; null if none did.
function wantedPage() {
  const page = new URLSearchParams(location.search).get("next");
  return page && `${page}${/^#[a-z]+$/.test(location.hash) ? location.hash : ""}`;
}

// The cookie is same-site, so a link on another site arrives here without it; a request from this page carries it.
async function goOnIfKnown() {
  const response = await fetch("/api/me").catch(() => null);
  if (response?.ok) location.replace(next);
}

async function logIn(proof) {
  form.setAttribute("aria-busy", "true");
  say("");
  try {
    const response = await fetch("/api/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(proof) });
    if (response.ok) {
      location.replace(next);
      return;
    }
    const { error = {} } = await response.json().catch(() => ({}));
    say(error.message ?? `The server answered ${response.status}.`);
  } catch {
    say("The server does not answer.");
  }
  form.removeAttribute("aria-busy");
}

function say(text) {
  errors.hidden = !text;
  errors.lastElementChild.textContent = text;
}
