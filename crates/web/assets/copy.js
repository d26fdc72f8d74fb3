// Puts the reader's host into examples, and makes them copyable.
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

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = button.dataset.copied;
    } catch {
      // Browsers provide no clipboard to pages without TLS.
      select(source);
      button.textContent = button.dataset.select;
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  };

  const prepare = (root) => {
    localise(root);
    for (const button of root.querySelectorAll('[data-copy]')) {
      button.hidden = false;
      button.addEventListener('click', () => copy(button));
    }
  };

  // Exported for content that scripts insert later.
  globalThis.lastro = Object.assign(globalThis.lastro ?? {}, { prepare });
  prepare(document);
})();
