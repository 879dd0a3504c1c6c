declare module '*?url' {
  const address: string;
  export default address;
}

interface ImportMeta {
  /** Vite's list of files with their addresses. */
  glob(
    pattern: string | readonly string[],
    options: { query: '?url'; import: 'default'; eager: true },
  ): Record<string, string>;
}
