import { defineConfig } from 'vite';

export default defineConfig({
  base: '/player/',
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Nothing is inlined, because the page's policy forbids scripts and styles in data: URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
});
