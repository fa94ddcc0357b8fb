// Once per picture, however often it is asked for; a hidden page makes no pictures, but its text should be right.

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
