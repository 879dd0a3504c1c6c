import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Nothing is inlined: the page's policy forbids data: scripts and styles.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Small parts of the first screen, each of which would otherwise be a separate request.
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
      // "use client" means nothing without server rendering.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
