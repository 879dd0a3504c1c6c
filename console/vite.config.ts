import { join } from 'node:path';
import compile from 'icu-minify/compile';
import { defineConfig, type Plugin } from 'vite';

type Texts = { [key: string]: string | Texts };

const compileText = (text: string | Texts): unknown =>
  typeof text === 'string'
    ? compile(text)
    : Object.fromEntries(Object.entries(text).map(([key, inner]) => [key, compileText(inner)]));

/** Compiles the texts' ICU messages, so that the browser needs no parser for them. */
const compileTexts: Plugin = {
  name: 'compile-texts',
  enforce: 'pre',
  transform: {
    filter: { id: /\/console\/texts\/[^/]+\.json$/ },
    handler: (json) => ({ code: JSON.stringify(compileText(JSON.parse(json))), map: null }),
  },
};

/** Learners get a build of their own, so that it contains only what their page needs. */
export default defineConfig(({ mode }) => ({
  base: '/console/',
  plugins: [compileTexts],
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Nothing is inlined, because the page's policy forbids scripts and styles in data: URLs.
    assetsInlineLimit: 0,
    manifest: mode === 'learner' ? false : 'manifest.json',
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: join(import.meta.dirname, mode === 'learner' ? 'learner.html' : 'index.html'),
      // Bundles parts of the first screen that would otherwise need separate requests.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'first-screen',
              test: /@mantine.core.esm.components.(Badge|Portal)\b|IconCircleCheck\.mjs|attention-list|SimpleGrid|get-base-value|get-default-z-index|DirectionProvider|parts.(section|number-table)|@floating-ui|@tanstack|get-single-element|noop\.mjs|tenant-link/,
            },
          ],
        },
      },
      // "use client" has no meaning without server rendering.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
}));
