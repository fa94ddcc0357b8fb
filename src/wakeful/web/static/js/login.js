// The login page: a link's token logs in by itself, once; else a token or the password is typed.

const form = document.getElementById("login");
const errors = document.getElementById("error");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = form.elements.token.value.trim();
  // The field is there only where the server has a password.
  const password = form.elements.password?.value;
  if (token || password) logIn(token ? { token } : { password });
  else say(form.elements.password ? "Type the token, or the password." : "Type the token.");
});

// Where to go afterwards.
let next = "/";

begin();
// A link that is opened where this page is shown already does not load it again.
addEventListener("hashchange", begin);

// What stands behind the # is sent to nobody; the token is taken out of the address at once.
function begin() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (/^\/s\/[A-Za-z0-9_.:-]+$/.test(given.get("next") ?? "")) next = given.get("next");
  history.replaceState(null, "", next === "/" ? "/login" : `/login#next=${next}`);
  if (given.has("token")) logIn({ token: given.get("token") });
  else goOnIfKnown();
}

// A link on another site comes without the cookie, which is for our own pages; asked from here, the browser has it.
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
