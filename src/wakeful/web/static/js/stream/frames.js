// Parses server-sent events: takes text in any pieces, returns complete frames. Comments make no frame.

export class Frames {
  #rest = "";
  #frame = blank();

  push(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    const whole = [];
    for (const line of lines) {
      if (line === "") {
        if (this.#frame.data !== null) whole.push(this.#frame);
        this.#frame = blank();
      } else {
        this.#read(line);
      }
    }
    return whole;
  }

  #read(line) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "id") this.#frame.id = value;
    else if (name === "event") this.#frame.name = value;
    else if (name === "data") this.#frame.data = this.#frame.data === null ? value : `${this.#frame.data}\n${value}`;
  }
}

function blank() {
  return { id: "", name: "message", data: null };
}
