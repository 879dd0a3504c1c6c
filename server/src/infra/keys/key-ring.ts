import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * The purposes for which keys are used. Each purpose has its own derived key, so a signature for
 * one purpose is invalid for another.
 */
export type Purpose = SigningPurpose | HashPurpose | EncryptionPurpose | 'access-token';
export type EncryptionPurpose =
  | 'tenant-key'
  | 'webhook-secret'
  | 'lrs-password'
  | 'mail'
  | 'client-secret'
  | 'sign-in-state';
export type SigningPurpose =
  | 'launch'
  | 'lti-state'
  | 'lti-registration'
  | 'lti-selection'
  | 'lti-message'
  | 'lti-access'
  | 'dispatch'
  | 'ticket'
  | 'session'
  | 'files'
  | 'au'
  | 'preview'
  | 'preview-ticket'
  | 'preview-session'
  | 'preview-state'
  | 'review-ticket'
  | 'review-session'
  | 'signed-in'
  | 'wallet-access'
  | 'wallet-nonce'
  | 'audit-head';
export type HashPurpose = 'erasure' | 'guess' | 'idempotency' | 'origin' | 'recipient' | 'statement';

/** A key as written in `SIGNING_KEYS` or in the ring's file. */
export type WrittenKey = { readonly id: string; readonly secret: Buffer; readonly createdAt: string | null };

export type RingKey = {
  readonly id: string;
  readonly secret: KeyObject;
  /** Keys for single purposes, derived when first needed. */
  readonly derived: Map<string, KeyObject>;
};

export type KeyRing = {
  /** The first key signs and encrypts; all keys verify and decrypt. Replaced as a whole when the ring is rotated. */
  keys: readonly [RingKey, ...RingKey[]];
  /** The key for hashes that are used to find stored data. It does not change when the ring is rotated. */
  hashKey: RingKey;
};

export const keyBytes = 32;
export const keyIdPattern = /^[\w-]{1,32}$/;

export function newKey(now: Date): WrittenKey {
  return { id: randomBytes(4).toString('hex'), secret: randomBytes(keyBytes), createdAt: now.toISOString() };
}

export function openKey({ id, secret }: Pick<WrittenKey, 'id' | 'secret'>): RingKey {
  return { id, secret: createSecretKey(secret), derived: new Map() };
}

/** Error messages never contain the keys' values, which are secret. */
export function openRing(written: readonly WrittenKey[]): KeyRing['keys'] {
  const [first, ...others] = written.map(openKey);
  if (!first) throw new Error('the key ring is empty.');
  const ids = written.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`the key ID "${twice}" occurs twice.`);
  return [first, ...others];
}

/** Parses `id:key,id:key`, the format of `SIGNING_KEYS`: each key is 32 bytes in base64url. */
export function parseKeys(text: string): readonly WrittenKey[] {
  const written = text.split(',').map((entry, index) => {
    const [, id = '', key = ''] = /^\s*([\w-]{1,32}):([\w-]{43})=?\s*$/.exec(entry) ?? [];
    if (!id)
      throw new Error(
        `entry ${index + 1} must be ID:KEY with an ID of letters, digits, - and _, and a KEY of ${keyBytes} bytes in base64url.`,
      );
    return { id, secret: Buffer.from(key, 'base64url'), createdAt: null };
  });
  openRing(written);
  return written;
}

/** HKDF (RFC 5869) with the purpose as `info`. Signing takes 5 µs with an imported key and 28 µs without. */
export function keyFor(key: RingKey, purpose: Purpose | 'fingerprint'): KeyObject {
  const known = key.derived.get(purpose);
  if (known) return known;
  const bytes = hkdfSync('sha256', key.secret, Buffer.alloc(0), `lectern ${purpose}`, keyBytes);
  const derived = createSecretKey(Buffer.from(bytes));
  key.derived.set(purpose, derived);
  return derived;
}

export function findKey(ring: KeyRing, id: string): RingKey | undefined {
  return ring.keys.find((key) => key.id === id);
}

/** Identifies a key without revealing anything else about it. */
export function fingerprint(key: RingKey): string {
  return keyFor(key, 'fingerprint').export().subarray(0, 9).toString('base64url');
}

/** HMAC-SHA-256 (RFC 2104) truncated to 192 bits, in base64url. It takes 1.8 µs, or 3.1 µs through a Buffer. */
function hmac(key: RingKey, purpose: Purpose, text: string): string {
  const whole = createHmac('sha256', keyFor(key, purpose)).update(`${purpose}\0${text}`).digest('base64url');
  return whole.slice(0, 32);
}

/** A signature made with the first key in the ring: the key's ID, a dot, the HMAC. */
export function sign(ring: KeyRing, purpose: SigningPurpose, text: string): string {
  const [key] = ring.keys;
  return `${key.id}.${hmac(key, purpose, text)}`;
}

export function verify(ring: KeyRing, purpose: SigningPurpose, text: string, signature: string): boolean {
  const [id, mac] = splitOnce(signature);
  const key = findKey(ring, id);
  if (!key) return false;
  const expected = Buffer.from(hmac(key, purpose, text));
  const given = Buffer.from(mac);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Signs a value that is passed through a browser. Anyone can read the value, but only this service can sign it. */
export function signToken(ring: KeyRing, purpose: SigningPurpose, value: unknown): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${sign(ring, purpose, body)}`;
}

/** The signed value, or null if the token was not made by `signToken` with a key in the ring and this purpose. */
export function verifyToken(ring: KeyRing, purpose: SigningPurpose, token: string): unknown {
  const [body, signature] = splitOnce(token);
  if (!body || !signature || !verify(ring, purpose, body, signature)) return null;
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}

/** The text before the first dot and the text after it. */
export function splitOnce(text: string): [string, string] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
}

/** A keyed hash of `text`, used to store and find data about it without storing the text itself. */
export function keyedHash(ring: KeyRing, purpose: HashPurpose, text: string): string {
  return hmac(ring.hashKey, purpose, text);
}

/** The key for keyed hashes that need a different length or format from `keyedHash`. */
export function keyedHashKey(ring: KeyRing, purpose: HashPurpose): KeyObject {
  return keyFor(ring.hashKey, purpose);
}

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
