import { existsSync } from 'node:fs';

/**
 * The headless shell comes first: it loads 24 pages of the console with 7.1 s of CPU time, and the whole browser with
 * 14.4 s.
 */
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** The browser for the journeys. It may not exist. */
export const chromiumPath: string =
  process.env.CHROMIUM ?? places.find((path) => existsSync(path)) ?? places[0];
