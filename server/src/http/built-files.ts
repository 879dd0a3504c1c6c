import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codeOf } from '../lib/errors.ts';
import type { RouteResponse } from './routes.ts';

const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** A file that never changes, compressed at most once. */
export type ConstantFile = {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  /** Null if compressing the file is not worth the time. */
  readonly compress: ((body: Buffer, encoding: Encoding) => Promise<Buffer>) | null;
  readonly compressed: Map<Encoding, Promise<Buffer>>;
};

/** Smaller files grow when compressed. */
const minCompressedBytes = 1024;
const brotliQuality = { [constants.BROTLI_PARAM_QUALITY]: 4 };

/** Compresses one of our own files. */
function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br'
    ? promisify(brotliCompress)(body, { params: brotliQuality })
    : promisify(gzip)(body);
}

/**
 * Compresses a file whose author is not trusted. With gzip's default level, a specially crafted text takes 25
 * times longer than an ordinary text. With the fastest level, and with Brotli's level 4, no text takes more
 * than 20 ms per MiB.
 */
export function compressUntrusted(body: Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br'
    ? compress(body, encoding)
    : promisify(gzip)(body, { level: constants.Z_BEST_SPEED });
}

/** The best encoding that the client accepts; null if there is none. */
export function acceptedEncoding({ headers }: FastifyRequest): Encoding | null {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase();
  const parts = accepted.split(',').map((part) => part.trim());
  const names = parts
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]?.trim());
  return encodings.find((encoding) => names.includes(encoding)) ?? null;
}

export function constantFile(
  type: string,
  content: Buffer | string,
  compressing: ConstantFile['compress'] = compress,
): ConstantFile {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, etag, body, compress: compressing, compressed: new Map() };
}

/** Whether the client has this version. Proxies that compress a response make its ETag weak. */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = request.headers['if-none-match']?.split(',') ?? [];
  return known.some((one) => one.trim().replace(/^W\//, '') === etag);
}

/** The file, or 304 if the client already has it. */
export async function constantResponse(request: FastifyRequest, file: ConstantFile): Promise<RouteResponse> {
  const mayCompress = file.compress !== null && file.body.length >= minCompressedBytes;
  const encoding = mayCompress ? acceptedEncoding(request) : null;
  const etag = encoding ? `${file.etag.slice(0, -1)}-${encoding}"` : file.etag;
  const headers = { 'Content-Type': file.type, ETag: etag, ...(mayCompress && { Vary: 'Accept-Encoding' }) };
  if (isKnown(request, etag)) return { status: 304, headers };
  if (!encoding || !file.compress) return { status: 200, body: file.body, headers };
  const compressed = file.compressed.get(encoding) ?? file.compress(file.body, encoding);
  file.compressed.set(encoding, compressed);
  return { status: 200, body: await compressed, headers: { ...headers, 'Content-Encoding': encoding } };
}

export async function sendConstant(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConstantFile,
): Promise<FastifyReply> {
  const { status, body, headers = {} } = await constantResponse(request, file);
  return reply.code(status).headers(headers).send(body);
}

/** A file built by `npm run build`, such as the console's or player's page. */
export function readBuilt(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new Error(`${join(folder, name)} is missing. Run npm run build, then start again.`);
  }
}

/**
 * Serves scripts and styles at `${prefix}/assets/…`. Their names contain a hash of their content, so browsers
 * may cache them forever. The build has compressed them.
 */
export function assetRoute(app: FastifyInstance, prefix: string, folder: string): void {
  app.register(async (assets) => {
    assets.addHook('onRoute', (route) => {
      route.config = { ...route.config, logs: 'failures' };
    });
    await assets.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: `${prefix}/assets/`,
      ...{ preCompressed: true, immutable: true, maxAge: '365d', decorateReply: false },
    });
  });
}
