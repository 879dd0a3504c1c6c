import { type Page, textBytes } from '../pagination.ts';
import type { RouteResponse } from '../routes.ts';

/** Rows per statement. With rows of maximum size, they take 10 to 50 ms on the embedded database. */
const chunkRows = 25;
/** A page ends once it has this many bytes. Its last chunk can bring it to about 1 MiB. */
const enoughBytes = 256 * 1024;

type Read = (query: { Limit: number; Cursor?: string }) => Promise<RouteResponse>;

const pageOf = ({ body }: RouteResponse) => body as Page<unknown>;

/**
 * Reads a page in chunks until it has enough rows or bytes. A chunk that visits many rows but finds none does not end the page.
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
