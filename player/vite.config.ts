import { defineConfig } from 'vite';

export default defineConfig({
  base: '/player/',
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The page's policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
});
