// Runs at most once per animation frame. Hidden pages have no frames, but their text has to be right: they use a timer.

export function soon(run) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    const go = () => {
      isAsked = false;
      run();
    };
    if (document.hidden) setTimeout(go, 50);
    else requestAnimationFrame(go);
  };
}
