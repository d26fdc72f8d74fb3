// Starts the interactive reference with our own OpenAPI description.
// Everything that would contact another host is disabled; the content security policy of the page enforces this.
(() => {
  'use strict';
  const DESCRIPTION = '/docs/openapi.yaml';

  const CSS = `
    .light-mode {
      --scalar-color-1: #14201f; --scalar-color-2: #54625e; --scalar-color-3: #5f6c68; --scalar-color-accent: #0d6b5c;
      --scalar-background-1: #fafaf7; --scalar-background-2: #f2f3ee; --scalar-background-3: #e7e9e3; --scalar-background-accent: #e7f1ee;
      --scalar-border-color: #e1e4dd; --scalar-button-1: #0d6b5c; --scalar-button-1-color: #fff; --scalar-button-1-hover: #09564a;
    }
    .dark-mode {
      --scalar-color-1: #e9efec; --scalar-color-2: #9daca7; --scalar-color-3: #84938e; --scalar-color-accent: #5cc8b2;
      --scalar-background-1: #0d1413; --scalar-background-2: #141d1c; --scalar-background-3: #1d2827; --scalar-background-accent: #16302b;
      --scalar-border-color: #293533; --scalar-button-1: #5cc8b2; --scalar-button-1-color: #06201b; --scalar-button-1-hover: #7fdcc8;
    }
    :root {
      --scalar-custom-header-height: 60px;
      --scalar-font: var(--sans);
      --scalar-font-code: var(--mono);
      --scalar-radius: 6px; --scalar-radius-lg: 8px; --scalar-radius-xl: 10px;
    }
    @media (max-width: 820px) { :root { --scalar-custom-header-height: 96px; } }
    .light-mode .t-doc__sidebar, .dark-mode .t-doc__sidebar { --scalar-sidebar-background-1: var(--scalar-background-1); }
  `;

  const PLANS = {
    public: 'Public', 'any-key': 'Any key', free: 'Free', bronze: 'Bronze', gold: 'Gold', platinum: 'Platinum',
  };

  // Makes the badges of the reference from x-plan, which holds each operation's plan in the description.
  const withBadges = (yaml) => yaml.replace(/^( +)x-plan: (\S+)$/gm, (line, indent, plan) =>
    `${line}\n${indent}x-badges: [{ name: '${PLANS[plan] ?? plan}', position: after }]`);

  // Replaces the default address in the examples with the reader's.
  const withOrigin = (yaml) => yaml.replaceAll('http://127.0.0.1:8080', location.origin);

  const theme = () => document.documentElement.dataset.theme
    || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

  // The reference reads the theme only at startup; afterwards it is switched by these classes.
  const follow = ({ detail }) => {
    document.body.classList.toggle('dark-mode', detail === 'dark');
    document.body.classList.toggle('light-mode', detail === 'light');
  };

  // A blank key is not sent: an empty header would be rejected as an invalid key.
  const withoutBlankKeys = ({ requestBuilder }) => {
    requestBuilder.security = requestBuilder.security.filter(({ value }) => value && value.trim() !== 'Bearer');
  };

  // Uses the key that the reader entered on another page.
  const authentication = () => {
    const held = globalThis.lastro?.key.get();
    const schemes = held && { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', value: held } };
    return { preferredSecurityScheme: 'ApiKey', ...(schemes ? { securitySchemes: schemes } : {}) };
  };

  const settings = (content) => ({
    content,
    baseServerURL: location.origin,
    customCss: CSS,
    theme: 'none',
    forceDarkModeState: theme(),
    hideDarkModeToggle: true,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'none',
    defaultOpenAllTags: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    authentication: authentication(),
    // Keys are stored by key.js for the session only; local storage would outlive the visit.
    persistAuth: false,
    onBeforeRequest: withoutBlankKeys,
  });

  const start = async () => {
    const loading = document.getElementById('loading');
    try {
      const answer = await fetch(DESCRIPTION);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const description = withOrigin(withBadges(await answer.text()));
      Scalar.createApiReference('#app', settings(description));
      document.addEventListener('themechange', follow);
    } catch {
      document.getElementById('failed').hidden = false;
    } finally {
      loading.hidden = true;
    }
  };

  // Runs before the bundle, to stop its schema library from compiling code, which the policy forbids.
  globalThis.__zod_globalConfig = { jitless: true };
  document.addEventListener('DOMContentLoaded', start);
})();
