// Which server this is, who is logged in, and logging out.

import { el, icon } from "../dom.js";
import { me } from "../me.js";
import { leave } from "./leaving.js";
import { setSection } from "./set_section.js";

export function aboutSection() {
  const words = el("p", { text: `wakeful ${me.version} on ${me.host}, logged in as ${me.name}` });
  const logout = el("button", { class: "button", type: "button", onclick: leave }, icon("exit"), "Log out");
  return setSection("about", "About", "", el("div", { class: "about" }, words, logout));
}
