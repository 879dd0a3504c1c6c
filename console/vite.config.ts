import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Nothing is inlined: the page's policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Small parts of the first screen, each of which would be a request of its own.
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
      // "use client" means nothing to a page without a rendering server.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
