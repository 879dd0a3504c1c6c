import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type EncryptionPurpose, findKey, type KeyRing, keyFor } from './key-ring.ts';

/** The purpose of the text, and the record it belongs to. A copy in another record cannot be decrypted. */
type About = { purpose: EncryptionPurpose; place: string };

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts with AES-256-GCM and the first key in the ring. The result is `enc.`, the key's ID, a dot, and the
 * rest in base64url.
 */
export function encrypt(ring: KeyRing, { purpose, place }: About, text: string): string {
  const [key] = ring.keys;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFor(key, purpose), nonce).setAAD(Buffer.from(place));
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${encryptedBy(key.id)}${body.toString('base64url')}`;
}

/** The prefix of texts encrypted with this key. */
export function encryptedBy(keyId: string): string {
  return `enc.${keyId}.`;
}

/** Throws if the ring does not have the key, or if the text was changed or moved. */
export function decrypt(ring: KeyRing, { purpose, place }: About, encrypted: string): string {
  const [scheme, id = '', body = ''] = encrypted.split('.');
  const key = scheme === 'enc' ? findKey(ring, id) : undefined;
  if (!key)
    throw new Error(
      `A stored secret is encrypted with the key ${id}, which is not in the key ring. Add the key again, and start the service once before you remove it.`,
    );
  const bytes = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyFor(key, purpose), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString(
    'utf8',
  );
}
