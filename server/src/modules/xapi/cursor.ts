import { invalid } from '../../../../standards/xapi/invalid.ts';

/** The position after which a page begins, as an opaque string. */
export function writeCursor(position: number): string {
  return Buffer.from(`statements ${position}`).toString('base64url');
}

export function readCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const [, position] = /^statements (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return position === undefined
    ? invalid('cursor', 'is not valid. Start again without it.')
    : Number(position);
}
