import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Nothing is inlined, because the page's policy forbids scripts and styles in data: URLs.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Bundles small parts of the first screen that would otherwise need separate requests.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'small',
              test: /@mantine.core.esm.components.(Badge|Portal)\b|IconCircleCheck\.mjs|attention-list/,
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
});
