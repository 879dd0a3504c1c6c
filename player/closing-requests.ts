declare global {
  interface WorkerOptions {
    readonly extendedLifetime?: boolean;
  }
}

/** Sends requests of a page that is closing and will not receive the response. */
export type ClosingRequests = { send(path: string, body: string): void };

/**
 * Chromium's shared workers can outlive their pages, and have no limit on what they send: 900 kB that took 2 s arrived. In
 * other browsers, only a beacon outlives its page, with at most 64 KiB for all of a page's beacons.
 */
export function openClosingRequests(): ClosingRequests {
  let outliving: MessagePort | null = null;
  try {
    let isSupported = false;
    const { port } = new SharedWorker(new URL('./closing-requests-worker.ts', import.meta.url), {
      type: 'module',
      get extendedLifetime() {
        isSupported = true;
        return true;
      },
    });
    // A worker that cannot be loaded never says that it is ready.
    port.onmessage = () => {
      if (isSupported) outliving = port;
    };
  } catch {
    // The browser has no shared workers, or denies them to frames of other sites.
  }
  return {
    send(path, body) {
      if (outliving) outliving.postMessage({ path, body });
      else navigator.sendBeacon(path, body);
    },
  };
}
