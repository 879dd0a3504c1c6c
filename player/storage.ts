/** The page's own storage, or a handle to what this origin stores outside frames. */
export type Stores = Pick<Window, 'localStorage' | 'indexedDB'>;

declare global {
  interface Document {
    requestStorageAccess(types: { localStorage: true; indexedDB: true }): Promise<Stores | undefined>;
  }
}

/**
 * Chromium separates what a frame of another site stores, unless third-party cookies are allowed. Then it grants access to
 * the storage of the origin's own tabs without asking, so that results kept in a frame are also sent from a tab. Other
 * browsers do not answer with a handle.
 */
export async function sharedStores(): Promise<Stores> {
  if (window.parent === window) return window;
  try {
    return (await document.requestStorageAccess({ localStorage: true, indexedDB: true })) ?? window;
  } catch {
    return window;
  }
}

/**
 * Whether the browser denies storage because another site frames the page. Courses that use storage then fail, and
 * unsent results cannot be kept on the device.
 */
export function isStorageDenied(): boolean {
  if (window.parent === window) return false;
  try {
    window.localStorage.getItem('');
    return false;
  } catch {
    return true;
  }
}
