// Light or dark theme: the reader's choice, else the system's. Loaded before the first paint.
(() => {
  'use strict';
  const KEY = 'lastro-theme';
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');

  // Storage can be blocked; the choice then lasts as long as the page.
  const remembered = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem(KEY, theme); } catch { /* see above */ }
  };
  const current = () => root.dataset.theme || (system.matches ? 'dark' : 'light');

  const choice = remembered();
  if (choice === 'light' || choice === 'dark') root.dataset.theme = choice;
  root.classList.add('scripted');

  const announce = () => {
    const button = document.getElementById('theme');
    if (button) button.ariaLabel = current() === 'dark' ? button.dataset.toLight : button.dataset.toDark;
    document.dispatchEvent(new CustomEvent('themechange', { detail: current() }));
  };

  document.addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme');
    button.hidden = false;
    button.addEventListener('click', () => {
      root.dataset.theme = current() === 'dark' ? 'light' : 'dark';
      remember(root.dataset.theme);
      announce();
    });
    system.addEventListener('change', announce);
    announce();
  });
})();
