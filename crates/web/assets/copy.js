// Puts the reader's host into examples, and makes them and the address of the page copyable.
(() => {
  'use strict';
  const localise = (root) => {
    for (const place of root.querySelectorAll('[data-origin]')) place.textContent = location.origin;
  };

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };

  /** The element whose text is copied. The address of the page is shown for it, but only where it must be selected. */
  const sourceOf = (button) => {
    if (button.dataset.copy) return document.getElementById(button.dataset.copy);
    const shown = button.nextElementSibling?.matches('.address') ? button.nextElementSibling : document.createElement('code');
    shown.className = 'address';
    [shown.textContent] = location.href.split('#');
    return shown;
  };

  // Remembered at the first click: at a second one the button may still say that the text was copied.
  const labels = new WeakMap();
  const timers = new WeakMap();

  const copy = async (button) => {
    const source = sourceOf(button);
    if (!labels.has(button)) labels.set(button, button.textContent);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = button.dataset.copied;
    } catch {
      // Browsers provide no clipboard to pages without TLS.
      if (!source.isConnected) button.after(source);
      select(source);
      button.textContent = button.dataset.select;
    }
    clearTimeout(timers.get(button));
    timers.set(button, setTimeout(() => { button.textContent = labels.get(button); }, 2000));
  };

  const prepare = (root) => {
    localise(root);
    for (const button of root.querySelectorAll('[data-copy], [data-share]')) {
      button.hidden = false;
      button.addEventListener('click', () => copy(button));
    }
  };

  // Exported for content that scripts insert later.
  globalThis.lastro = Object.assign(globalThis.lastro ?? {}, { prepare });
  prepare(document);
})();
