// Writes terminal output into an element as it arrives. Only text nodes and spans are made: nothing becomes markup.

import { AnsiParser } from "./parser.js";

export class AnsiWriter {
  #parser = new AnsiParser();
  #target;
  // The nodes of the current line; after a carriage return the next text replaces them.
  #line = [];
  #returns = false;

  constructor(target) {
    this.#target = target;
  }

  write(text) {
    for (const run of this.#parser.read(text)) {
      if (run.newline) this.#endLine();
      else if (run.carriage) this.#returns = true;
      else this.#print(run);
    }
  }

  #print({ text, classes }) {
    if (this.#returns) {
      for (const node of this.#line) node.remove();
      this.#line = [];
      this.#returns = false;
    }
    this.#append(styled(text, classes));
  }

  #endLine() {
    this.#returns = false;
    this.#append(document.createTextNode("\n"));
    this.#line = [];
  }

  #append(node) {
    this.#target.append(node);
    this.#line.push(node);
  }
}

export function ansiFragment(text) {
  const fragment = document.createDocumentFragment();
  new AnsiWriter(fragment).write(text);
  return fragment;
}

function styled(text, classes) {
  if (!classes) return document.createTextNode(text);
  const span = document.createElement("span");
  span.className = classes;
  span.textContent = text;
  return span;
}
