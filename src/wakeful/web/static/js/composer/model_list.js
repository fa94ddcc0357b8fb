// The list inside the model picker: options by provider, walked with the arrow keys.

import { el, icon } from "../dom.js";
import { tokens } from "../format.js";
import { modelName, providerName } from "../model_names.js";
import { walkWithKeys } from "../popup.js";

// {element, first}: `first()` returns the element to focus.
export function modelList(models, current, choose, hasFilter) {
  const options = el("div", { role: "listbox", "aria-label": "Model" });
  const filter = el("input", {
    class: "input",
    type: "search",
    "aria-label": "Filter models",
    placeholder: `Filter ${models.length} models`,
  });
  const draw = () => options.replaceChildren(...groups(models, filter.value.trim().toLowerCase(), current, choose));
  filter.addEventListener("input", draw);
  draw();
  const element = el("div", { class: "menu menu--floating menu--models" }, hasFilter && filter, options);
  element.addEventListener("keydown", (event) => walkWithKeys(event, [...options.querySelectorAll("[role=option]")]));
  return {
    element,
    first: () =>
      hasFilter ? filter : (options.querySelector("[aria-selected=true]") ?? options.querySelector("[role=option]")),
  };
}

function groups(models, words, current, choose) {
  const wanted = models.filter((model) => model.id.toLowerCase().includes(words));
  const providers = [...new Set(wanted.map(providerOf))];
  if (!providers.length) return [el("p", { class: "menu__group", text: "No model matches." })];
  return providers.flatMap((provider) => [
    el("p", { class: "menu__group", text: provider }),
    ...wanted
      .filter((model) => providerOf(model) === provider)
      .map((model) => option(model, model.id === current, choose)),
  ]);
}

function option(model, isCurrent, choose) {
  const pick = () => choose(model.id);
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick();
  };
  return el(
    "div",
    {
      class: isCurrent ? "menu__item is-active" : "menu__item",
      role: "option",
      "aria-selected": String(isCurrent),
      tabindex: isCurrent ? 0 : -1,
      onclick: pick,
      onkeydown,
    },
    isCurrent ? icon("check") : el("span"),
    el("span", { text: model.name ?? modelName(model.id) }),
    el("span", { class: "menu__note num", text: factWords(model), title: "Tokens it can read; USD a million tokens read and written" }),
  );
}

// "200k · $5 / $25", "32k · free"; what is not known is left out, because the list is narrow.
function factWords({ context_window: window, input_price: read, output_price: written }) {
  const isKnown = read !== null && written !== null;
  const prices = isKnown && (read || written ? `$${read} / $${written}` : "free");
  return [window && tokens(window), prices].filter(Boolean).join(" · ");
}

function providerOf(model) {
  return model.provider ?? providerName(model.id);
}
