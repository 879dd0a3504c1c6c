/**
 * The last migration before the first release. Later migrations must not break nodes of the previous version.
 */
export const lastFree = '0008';

const outside = /^-- outside a transaction\n/;
/** Marks a statement that removes something that no running version uses. */
const mark = /^-- contract: \S/m;

const name = '(?:only )?(?:if (?:not )?exists )?"?(\\w+)"?';

const rules: [RegExp, string][] = [
  [/^(drop|truncate) (?!index)/, 'removes something that the previous version may still use'],
  [
    /^alter table .*\bdrop (column )?(?!constraint|not null|default|identity|expression)/,
    'drops a column that the previous version still reads',
  ],
  [/^alter (table|type|index|view) .*\brename\b/, 'renames something that the previous version still uses'],
  [/^alter table .*\balter (column )?\S+ (set data )?type\b/, 'rewrites the table under an exclusive lock'],
  [
    /^alter table .*\bset not null\b/,
    'reads the table under an exclusive lock, and the previous version may still insert nulls',
  ],
  [
    /^alter table .*\badd (column )?(?!constraint|foreign|unique|check|primary)\S+ (?=.*\bnot null\b)(?!.*\bdefault\b)/,
    'adds a column that the previous version does not fill',
  ],
  [
    /^alter table .*\badd .*\bdefault [^,]*\b(gen_random_uuid|clock_timestamp|random|nextval)\b/,
    'writes every row under an exclusive lock',
  ],
  [
    /^alter table .*\badd (constraint \S+ )?(foreign|check|unique|primary)\b(?!.*\b(not valid|using index)\b)/,
    'checks every row under a lock; add it NOT VALID, or build the index first',
  ],
  [
    /^alter table .*\badd column (?=[^,]*\b(check|references|unique)\b)/,
    'adds a column with a constraint, which Citus rejects; add the constraint in a statement of its own',
  ],
  [/^(update|delete) /, 'writes many rows in one transaction; use a job that works in batches'],
];

/** Statements in lower case, one per line, with the comments before them. */
function statementsOf(sql: string): { text: string; comments: string }[] {
  return sql.split(/;\s*$/m).flatMap((part) => {
    const comments = [...part.matchAll(/^\s*--.*$/gm)].map(([line]) => line.trim()).join('\n');
    const text = part.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
    return text === '' ? [] : [{ text, comments }];
  });
}

/**
 * Finds the statements that would break nodes of the previous version, which keep running during a migration.
 */
export function rejectContractions(sql: string): string[] {
  const statements = statementsOf(sql);
  const madeHere = new Set(
    statements.flatMap(({ text }) => new RegExp(`^create table ${name}`).exec(text)?.[1] ?? []),
  );
  const found: string[] = [];
  for (const { text, comments } of statements) {
    if (mark.test(comments)) continue;
    const say = (why: string) => found.push(`“${text}” ${why}.`);
    const table = new RegExp(`^(?:alter table|update|delete from|truncate(?: table)?) ${name}`).exec(
      text,
    )?.[1];
    const index = new RegExp(
      `^create (?:unique )?index (?:concurrently )?(?:if not exists )?\\w* ?on ${name}`,
    ).exec(text);
    const isBuilt = / index concurrently /.test(text);
    if (isBuilt && !outside.test(sql))
      say('cannot run in a transaction: begin its file with “-- outside a transaction”');
    if (!isBuilt && outside.test(sql))
      say('does not build an index, so it cannot be in a file that runs outside a transaction');
    if (outside.test(sql)) continue;
    if (table && madeHere.has(table)) continue;
    if (index?.[1] && !isBuilt && !madeHere.has(index[1]))
      say('stops writes while it builds; put “create index concurrently” in a separate file');
    for (const [shape, why] of rules) if (shape.test(text)) say(why);
  }
  return found;
}
