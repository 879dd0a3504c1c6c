import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { Problem } from '../errors.ts';
import { type Page, textBytes } from '../http/pagination.ts';
import { onRequestEnd } from '../http/request-slot.ts';
import type { RouteResponse } from '../http/routes.ts';
import { inTurn, operatorQueue } from './fair-queue.ts';
import { reject, reserveAll } from './reservations.ts';
import type { TurnQueue } from './turn-queues.ts';
import { countUnread, isUnreadFull, type UnreadBytes } from './unread-bytes.ts';

/** Rows per statement. With rows of maximum size, they take 10 to 50 ms on the embedded database. */
const chunkRows = 25;
/** A page ends once it has this many bytes. Its last chunk can bring it to about 1 MiB. */
const enoughBytes = 256 * 1024;

type Read = (query: { Limit: number; Cursor?: string }) => Promise<RouteResponse>;

const pageOf = ({ body }: RouteResponse) => body as Page<unknown>;

function queueOf({ caller }: FastifyRequest): string {
  return caller?.tenantId ?? operatorQueue;
}

/** Responses to learners' units are counted separately, so that they do not use up the limit for API callers. */
function unreadOf({ admission }: Context, request: FastifyRequest): { counts: UnreadBytes; owner: string } {
  const player = request.caller?.player;
  return player
    ? { counts: admission.unsentToUnits, owner: player.budget }
    : { counts: admission.unsent, owner: queueOf(request) };
}

function rejectUnread(ctx: Context, request: FastifyRequest): void {
  const { counts, owner } = unreadOf(ctx, request);
  if (isUnreadFull(counts, owner))
    throw reject(ctx, 'api', 'unread_responses', {
      detail: 'Too many large responses have not been read yet. Read them, then send the request again.',
      retryAfter: 1,
    });
}

/** What problems call the requests in a queue. */
const requestsIn: Record<TurnQueue, string> = {
  lists: 'lists and reports',
  erasures: 'erasures',
  replays: 'replays',
  plays: 'robot plays',
};

/** Waits for the turn of the caller's tenant, then reads a list or report, or does a long write. */
export async function readInTurn<Result>(
  ctx: Context,
  request: FastifyRequest,
  pool: TurnQueue,
  read: () => Promise<Result>,
): Promise<Result> {
  const queue = queueOf(request);
  rejectUnread(ctx, request);
  const waits = () => ctx.counters.poolWaits.inc({ pool });
  const unlessGone = async () => {
    if (request.slot.hasEnded)
      throw new Problem('unavailable', 'The client has disconnected.', { retryAfter: 1 });
    // Check again, because the client may not have read the responses of earlier turns.
    rejectUnread(ctx, request);
    const result = await read();
    // Let Node poll its sockets. Otherwise, it would only process the messages of the embedded
    // database, each of which triggers the next.
    await setImmediate();
    return result;
  };
  const answer = inTurn(ctx.admission[pool], queue, unlessGone, waits);
  if (answer) return answer;
  throw reject(ctx, 'api', 'list_concurrency', {
    detail: `Too many ${requestsIn[pool]} for this tenant are waiting.`,
    retryAfter: 1,
  });
}

/**
 * Reads a page in chunks until it has enough rows or bytes. Other callers take their turns between
 * chunks. A chunk that visits many rows but finds none does not end the page.
 */
export async function readPage(
  { Limit: wanted, Cursor }: { Limit: number; Cursor?: string },
  read: Read,
): Promise<RouteResponse> {
  let asked = Math.min(wanted, chunkRows);
  const answer = await read({ Limit: asked, ...(Cursor === undefined ? {} : { Cursor }) });
  const page = pageOf(answer);
  let last = page;
  let bytes = 0;
  while (last.NextCursor !== null && (last.isPartial || last.Items.length === asked)) {
    bytes += textBytes(last.Items);
    const isFull = page.Items.length >= wanted || bytes >= enoughBytes;
    if (isFull && !last.isPartial) break;
    asked = isFull ? 1 : Math.min(wanted - page.Items.length, chunkRows);
    const before = last.NextCursor;
    last = pageOf(await read({ Limit: asked, Cursor: before }));
    if (last.NextCursor === before) {
      // A log has a cursor even at its end.
      if (last.Items.length === 0 && !last.isPartial) break;
      throw new Error('The list does not advance past its cursor.');
    }
    // A full page reads one more row only to find out whether another page follows.
    if (isFull && last.Items.length > 0) break;
    page.Items.push(...last.Items);
    page.NextCursor = last.NextCursor;
  }
  delete page.isPartial;
  return answer;
}

/** Counts the bytes of a response against its tenant until they are sent. */
export function countUnsent(ctx: Context, request: FastifyRequest, payload: unknown): void {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return;
  const { counts, owner } = unreadOf(ctx, request);
  countUnread(counts, request, owner, payload);
}

/** Limits exports, because each export keeps a page in memory while its client reads the page. */
export function admitExport(ctx: Context, request: FastifyRequest): void {
  const release = reserveAll(ctx, 'api', [
    {
      of: ctx.admission.exports,
      by: queueOf(request),
      description: 'for complete lists',
      reason: 'export_concurrency',
    },
  ]);
  onRequestEnd(request, release);
}

/**
 * Generates a document in its tenant's turns. Each part is generated after the client has read the
 * previous one.
 */
export function sendInTurn(ctx: Context, request: FastifyRequest, parts: AsyncGenerator<string>): Readable {
  const all = async function* () {
    try {
      for (;;) {
        const { done, value } = await readInTurn(ctx, request, 'lists', () => parts.next());
        if (done) return;
        yield value;
      }
    } finally {
      await parts.return(undefined);
    }
  };
  return Readable.from(all(), { objectMode: false });
}
