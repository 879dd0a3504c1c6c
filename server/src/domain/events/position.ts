import { foreignCursor } from '../../http/pagination.ts';

/** A position in a tenant's log, and the event there. Everything after this position is unread. */
export type Position = { position: number; eventId: string };

export const logStart: Position = { position: 0, eventId: '00000000-0000-0000-0000-000000000000' };

export function toCursor({ position, eventId }: Position): string {
  return Buffer.from(`log ${position} ${eventId}`).toString('base64url');
}

const shape = /^log (\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function fromCursor(cursor: string): Position {
  const [, position, eventId] = shape.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (!position || !eventId) throw foreignCursor();
  return { position: Number(position), eventId };
}
