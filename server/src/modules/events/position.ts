import { foreignCursor } from '../../platform/http/pagination.ts';

/** A position in a tenant's log; everything after it is unread. */
export type Position = { epoch: number; transaction: string; eventId: string };

export const logStart: Position = {
  epoch: 0,
  transaction: '0',
  eventId: '00000000-0000-0000-0000-000000000000',
};
export const lastEventId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function toCursor({ epoch, transaction, eventId }: Position): string {
  return Buffer.from(`log ${epoch} ${transaction} ${eventId}`).toString('base64url');
}

export function fromCursor(cursor: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString();
  const found = /^log (\d{1,15}) (\d{1,19}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text);
  const [, epoch, transaction, eventId] = found ?? [];
  if (!epoch || !transaction || !eventId) throw foreignCursor();
  return { epoch: Number(epoch), transaction, eventId };
}
