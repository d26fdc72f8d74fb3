// Examples: they name the host that the reader is on, and can be copied.
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
      // Browsers hide the clipboard from pages without TLS.
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

  // What a script puts into the page later is prepared by the same rules.
  globalThis.lastro = Object.assign(globalThis.lastro ?? {}, { prepare });
  prepare(document);
})();
