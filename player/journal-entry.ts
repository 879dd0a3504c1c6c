import type { Commit } from './contract.ts';

/** A commit that the server has not confirmed yet, with everything that another page needs to send it later. */
export type JournalEntry = {
  EnrollID: string;
  Session: string;
  CourseTitle: string;
  /** When it was stored, in milliseconds on this device's clock. */
  KeptAt: number;
  Commit: Commit;
};

/** Parses an entry; null if it is invalid. Any code on the same origin can write such entries. */
export function parseEntry(
  text: string | null,
  isRight: (entry: JournalEntry) => boolean,
): JournalEntry | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isEntry(value) && isRight(value) ? value : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is JournalEntry {
  return (
    isRecord(value) &&
    ['EnrollID', 'Session', 'CourseTitle'].every((name) => typeof value[name] === 'string') &&
    Number.isFinite(value.KeptAt) &&
    isRecord(value.Commit) &&
    Number.isSafeInteger(value.Commit.Number) &&
    typeof value.Commit.UnitID === 'string' &&
    isRecord(value.Commit.Data)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
