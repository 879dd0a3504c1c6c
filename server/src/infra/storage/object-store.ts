import { createHash } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { AwsClient } from 'aws4fetch';
import { codeOf } from '../../lib/errors.ts';
import type { ByteRange } from './package-files.ts';

export type StorageSettings = {
  /** Origin of the store. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly cacheBytes: number;
};

/** Objects of one prefix in an S3-compatible store. Keys are relative to the prefix. */
export type ObjectStore = {
  readonly place: string;
  /** `body` is a path. The store checks the hash. */
  putFile: (key: string, body: string, sha256: string) => Promise<void>;
  putText: (key: string, text: string) => Promise<void>;
  getText: (key: string) => Promise<string | null>;
  /** The whole object or part of it; null if it does not exist. */
  read: (key: string, range?: ByteRange) => Promise<Readable | null>;
  /** Writes the object to a new file, and removes the file again if it is not complete. */
  download: (key: string, to: string, expected: { bytes: number; sha256: string }) => Promise<boolean>;
  exists: (key: string) => Promise<boolean>;
  remove: (key: string) => Promise<void>;
  /** The objects whose keys begin with `below`, in pages of up to 1,000. */
  list: (below: string) => AsyncGenerator<{ key: string; changed: Date }[]>;
  errors: () => number;
};

const milliseconds = 60_000;

export function openObjectStore(settings: StorageSettings): ObjectStore {
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 4 });
  const place = `s3://${bucket}/${prefix}`;
  const base = `${endpoint}/${bucket}`;
  const address = (key: string) => `${base}/${(prefix + key).split('/').map(encodeURIComponent).join('/')}`;
  let errors = 0;

  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const response = await client
      .fetch(url, { signal: AbortSignal.timeout(milliseconds), ...init })
      .catch((cause: unknown) => {
        errors++;
        throw unavailable(`STORAGE_URL: ${endpoint} does not respond. Check the endpoint.`, cause);
      });
    if (response.ok || response.status === 404) return response;
    errors++;
    const text = await response.text().catch(() => '');
    throw unavailable(
      reasonFor(response.status, text, settings),
      new Error(`${response.status} ${text.slice(0, 300)}`),
    );
  };
  const found = (response: Response) => response.status !== 404;
  /** The store may close the connection before the body is complete. */
  const textOf = (response: Response): Promise<string> =>
    response.text().catch((cause: unknown) => {
      errors++;
      throw unavailable(
        `STORAGE_URL: the store at ${endpoint} ended a response early. Check the store, and any proxy in front of it.`,
        cause,
      );
    });
  const expect = async (response: Response): Promise<void> => {
    const text = await textOf(response);
    if (!found(response))
      throw unavailable(reasonFor(404, text, settings), new Error(`404 ${text.slice(0, 300)}`));
  };

  return {
    place,
    putFile: async (key, path, sha256) => {
      const headers = { 'x-amz-content-sha256': sha256 };
      await expect(await send(address(key), { method: 'PUT', body: await openAsBlob(path), headers }));
    },
    putText: async (key, text) => expect(await send(address(key), { method: 'PUT', body: text })),
    getText: async (key) => {
      const response = await send(address(key));
      const text = await textOf(response);
      // A missing bucket is not a missing object.
      if (!found(response) && !/NoSuchKey/.test(text))
        throw unavailable(reasonFor(404, text, settings), new Error(`404 ${text.slice(0, 300)}`));
      return found(response) ? text : null;
    },
    read: async (key, range) => {
      const headers = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      const response = await send(address(key), { headers });
      if (!found(response) || !response.body) return null;
      return Readable.fromWeb(response.body as ReadableStream);
    },
    download: async (key, to, { bytes, sha256 }) => {
      const response = await send(address(key));
      if (!found(response) || !response.body) return false;
      const hash = createHash('sha256');
      let received = 0;
      try {
        await pipeline(
          Readable.fromWeb(response.body as ReadableStream),
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              hash.update(chunk);
              received += chunk.length;
              yield chunk;
            }
          },
          createWriteStream(to, { flags: 'wx' }),
        );
        if (received !== bytes || hash.digest('hex') !== sha256)
          throw new Error(`${received} of ${bytes} bytes, or other content than was stored`);
        return true;
      } catch (cause) {
        await rm(to, { force: true });
        // The disk of the copies is full, and the store is not to blame.
        if (codeOf(cause) === 'ENOSPC') throw cause;
        errors++;
        throw unavailable(`STORAGE_URL: the object ${key} could not be read completely.`, cause);
      }
    },
    exists: async (key) => found(await send(address(key), { method: 'HEAD' })),
    remove: async (key) => void (await textOf(await send(address(key), { method: 'DELETE' }))),
    list: async function* (below) {
      let token: string | undefined;
      do {
        const query = new URLSearchParams({
          'list-type': '2',
          prefix: prefix + below,
          ...(token ? { 'continuation-token': token } : {}),
        });
        const response = await send(`${base}?${query}`);
        const text = await textOf(response);
        if (!found(response)) throw unavailable(reasonFor(404, text, settings), new Error('404'));
        yield [...text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, entry = '']) => ({
          key: (tag(entry, 'Key') ?? '').slice(prefix.length),
          changed: new Date(tag(entry, 'LastModified') ?? 0),
        }));
        token = tag(text, 'IsTruncated') === 'true' ? tag(text, 'NextContinuationToken') : undefined;
      } while (token);
    },
    errors: () => errors,
  };
}

/** Our keys need no escaping, so neither does the list of them. */
const tag = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

/** Its message is for the operator: it names the setting and the cure. */
export class StorageError extends Error {}

const unavailable = (message: string, cause: unknown) => new StorageError(message, { cause });

function reasonFor(status: number, text: string, { bucket, endpoint }: StorageSettings): string {
  const code = tag(text, 'Code') ?? '';
  if (code === 'NoSuchBucket' || status === 404)
    return `STORAGE_URL: the bucket "${bucket}" does not exist at ${endpoint}. Create it, or correct its name.`;
  if (code === 'RequestTimeTooSkewed')
    return `STORAGE_URL: the clocks of this machine and of the store at ${endpoint} differ too much. Synchronise them, such as with chrony or systemd-timesyncd.`;
  if (status === 403 || status === 401 || code === 'SignatureDoesNotMatch')
    return `AWS_ACCESS_KEY_ID: the store refuses this key for the bucket "${bucket}" (${code || status}). Check the key, its secret, its rights, the region and this machine's clock.`;
  return `STORAGE_URL: the store at ${endpoint} responded with ${status} ${code}. Try again.`;
}
