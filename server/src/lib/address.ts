import { isIP } from 'node:net';

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** RFC 5321 §4.5.3.1: a path has up to 256 characters, two of which are its brackets. */
const maxLength = 254;

/**
 * One address without a name, quotes or comments. Anything that a mail server could read as a second address or as
 * another header is rejected.
 */
const pattern =
  /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;

export function isMailAddress(text: string): boolean {
  return text.length <= maxLength && pattern.test(text);
}
