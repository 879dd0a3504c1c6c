import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from '../context/config.ts';

const day = 86_400_000;

/** Whole days until the certificate in this file expires; negative if it has. */
export function daysLeft(certFile: string, now: Date): number {
  const { validTo } = new X509Certificate(readFileSync(certFile));
  return Math.floor((Date.parse(validTo) - now.getTime()) / day);
}

/** The hosts of BASE_URL and CONTENT_URL that the certificate does not cover. */
export function uncoveredHosts(certFile: string, { baseUrl, contentUrl }: Config): string[] {
  const certificate = new X509Certificate(readFileSync(certFile));
  return [...new Set([baseUrl, contentUrl].map((url) => new URL(url).hostname))].filter((host) => {
    const name = host.replace('*', 'label').replace(/^\[(.*)\]$/, '$1');
    return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) === undefined;
  });
}
