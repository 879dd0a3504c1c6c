import pg from 'pg';
import type { Statement } from '../../src/db/engine/engine.ts';

/** A value that was read from JSON, in SQL. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) {
    const entries = value.map((entry) => (entry === null ? 'null' : JSON.stringify(String(entry))));
    return pg.escapeLiteral(`{${entries.join()}}`);
  }
  if (typeof value !== 'object') return pg.escapeLiteral(String(value));
  const { type, data } = value as { type?: string; data?: number[] };
  const bytes = type === 'Buffer' && data ? `\\x${Buffer.from(data).toString('hex')}` : null;
  return pg.escapeLiteral(bytes ?? JSON.stringify(value));
}

/** The statement with its values instead of parameters. */
export function withLiterals({ text, values }: Statement): string {
  const plain: unknown[] = JSON.parse(JSON.stringify(values));
  return text.replaceAll(/\$(\d+)/g, (_, number) => literal(plain[Number(number) - 1]));
}
