// The login page: a link's token logs in by itself, once; else a token or the password is typed.

const form = document.getElementById("login");
const errors = document.getElementById("error");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = form.elements.token.value.trim();
  const password = form.elements.password.value;
  if (token || password) logIn(token ? { token } : { password });
  else say("Type the token, or the password.");
});

useLink();

// The token stands behind the #, which browsers send to nobody; it is taken out of the address at once.
function useLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", "/login");
  logIn({ token });
}

async function logIn(proof) {
  form.setAttribute("aria-busy", "true");
  say("");
  try {
    const response = await fetch("/api/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(proof) });
    if (response.ok) {
      location.replace("/");
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
