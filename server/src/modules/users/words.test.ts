import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { startService } from '../../../test/support/service.ts';
import { searchWords, wordsOf } from './words.ts';

const service = await startService();
after(service.close);

const inCodePoints = (words: string[]) =>
  words.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

async function wordsInDatabase(texts: string[]): Promise<string[][]> {
  const { rows } = await service.ctx.engine.query<{ words: string[] }>({
    text: `/* across tenants: a test calls a function */
      select string_to_array(btrim(folded_text(content)), ' ') as words from unnest($1::text[]) with ordinality texts (content, n) order by n`,
    values: [texts],
  });
  return rows.map(({ words }) => inCodePoints([...new Set(words)]));
}

test('a search folds words as the database does', async () => {
  // Node.js supports combining marks from Unicode 17, which PostgreSQL 15 does not reorder when normalising.
  const isKnown = (code: number) => code < 0x1acf || code > 0x1aff;
  const letters = fc
    .integer({ min: 1, max: 0x24ff })
    .filter(isKnown)
    .map((code) => String.fromCodePoint(code));
  const texts = fc.sample(fc.string({ unit: letters, maxLength: 12 }), 500);
  const all = Array.from({ length: 0x2000 }, (_, code) => String.fromCodePoint(code + 1)).filter((one) =>
    one.isWellFormed(),
  );
  const samples = [...texts, ...all.map((letter) => `x${letter}y`), 'ａｂｃ １２', '張 三', '한글', '𝔄𝔟'];
  const found = await wordsInDatabase(samples);
  for (const [n, sample] of samples.entries())
    assert.deepEqual(inCodePoints(wordsOf(sample)), found[n], JSON.stringify(sample));
});

test('case, accents and punctuation do not matter', () => {
  assert.deepEqual(wordsOf('Müller-Straße, ŁUKASZ O’Brien'), ['muller', 'strasse', 'lukasz', 'o', 'brien']);
  assert.deepEqual(wordsOf('Ивано́в ΣΊΣΥΦΟΣ İstanbul'), ['иванов', 'σισυφοσ', 'istanbul']);
  assert.deepEqual(searchWords('ann Anna an'), ['anna']);
  assert.deepEqual(searchWords('-- !'), []);
});
