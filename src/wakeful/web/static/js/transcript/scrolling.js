// The scroll position. A reader at the end stays there while text arrives; elsewhere nothing moves what is being read.

const NEAR_PX = 48;

export class Scrolling {
  #scroller;
  #jump;
  #isAtEnd = true;
  #lastTop = 0;
  // The top of the scrolling element on the screen.
  #windowTop = 0;

  constructor(scroller, jump) {
    this.#scroller = scroller;
    this.#jump = jump;
    scroller.addEventListener("scroll", () => this.#noteEnd(), { passive: true });
    jump.addEventListener("click", () => this.toBottom(true));
    // The composer grows, a phone turns, a fold opens: a reader at the end stays there.
    new ResizeObserver(() => this.#stay()).observe(scroller);
    new ResizeObserver(() => this.#follow()).observe(scroller.firstElementChild);
  }

  toBottom(returnsFocus = false) {
    this.#isAtEnd = true;
    this.#follow();
    this.#jump.hidden = true;
    if (returnsFocus) document.getElementById("message")?.focus({ preventScroll: true });
  }

  // Draws without moving the text that is being read.
  keep(draw) {
    const anchor = this.#isAtEnd ? null : this.#anchor();
    const before = anchor?.getBoundingClientRect().top;
    draw();
    if (this.#isAtEnd) this.#follow();
    else if (anchor?.isConnected) this.#scroller.scrollTop += anchor.getBoundingClientRect().top - before;
    this.#noteEnd();
  }

  // The timeline above has changed its height: text that is being read does not move with it.
  #stay() {
    const { top } = this.#scroller.getBoundingClientRect();
    if (!this.#isAtEnd) this.#scroller.scrollTop += top - this.#windowTop;
    this.#windowTop = top;
    this.#follow();
  }

  #follow() {
    if (this.#isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  // The first element in view.
  #anchor() {
    const top = this.#scroller.getBoundingClientRect().top;
    for (const turn of this.#scroller.querySelectorAll(".turn")) {
      const box = turn.getBoundingClientRect();
      if (box.bottom > top) return box.top >= top ? turn : (inner(turn, top) ?? turn);
    }
    return null;
  }

  #noteEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    // Text that grows below does not mean that the reader has left the end; only scrolling up does.
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.#isAtEnd = true;
    else if (scrollTop < this.#lastTop) this.#isAtEnd = false;
    this.#lastTop = scrollTop;
    this.#jump.hidden = this.#isAtEnd;
  }
}

// The first item in view of a long turn.
function inner(turn, top) {
  return [...turn.querySelectorAll(".turn__items > *, .prose > *")].find(
    (item) => item.getBoundingClientRect().top >= top,
  );
}
