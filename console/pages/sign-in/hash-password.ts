import { md5 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { components } from '../../../client/src/generated.ts';

export type KnownHash = components['schemas']['PasswordFunction']['PasswordHash'];

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

const functions: Record<KnownHash, (bytes: Uint8Array) => string> = {
  'sha256-hex': (bytes) => bytesToHex(sha256(bytes)),
  'sha512-hex': (bytes) => bytesToHex(sha512(bytes)),
  'sha256-base64': (bytes) => toBase64(sha256(bytes)),
  'md5-hex': (bytes) => bytesToHex(md5(bytes)),
};

/** Hashes the UTF-8 bytes of the password exactly as typed, because the client application also hashes it this way. */
export function hashPassword(password: string, declared: KnownHash): string {
  return functions[declared](new TextEncoder().encode(password));
}
