import { tenantTables } from '../../src/db/engine/generated.ts';

/** A statement that no longer names its tenant, and how it was changed. */
export type Mutant = { how: string; text: string };

/**
 * Each function takes a condition, its column and its value, and returns a condition that lets other tenants'
 * rows through.
 */
const losses: Record<string, (tie: string, column: string, value: string) => string> = {
  dropped: () => 'true',
  'or true': (tie) => `${tie} or true`,
  'or true in parentheses': (tie) => `(${tie} or true)`,
  'true or': (tie) => `true or ${tie}`,
  not: (tie) => `not ${tie}`,
  'not in parentheses': (tie) => `not (${tie})`,
  'is not true': (tie) => `${tie} is not true`,
  'is not true in parentheses': (tie) => `(${tie}) is not true`,
  'is not null': (tie) => `(${tie}) is not null`,
  'is false': (tie) => `${tie} is false`,
  'compared with false': (tie) => `(${tie}) = false`,
  'coalesced condition': (tie) => `coalesce(${tie}, true)`,
  'coalesced value': (_, column, value) => `${column} = coalesce(${value}, ${column})`,
  'value or column': (_, column, value) => `${column} = nullif(${value}, ${value}) or ${column} = ${column}`,
  'another operator': (_, column, value) => `${column} <> ${value}`,
  'an order': (_, column, value) => `${column} >= ${value}`,
  distinct: (_, column, value) => `${column} is distinct from ${value}`,
  itself: (_, column) => `${column} = ${column}`,
  'another column': (_, column, value) => `${column.replace('tenant_id', 'course_id')} = ${value}`,
  'all tenants': (_, column) => `${column} = any(select tenant_id from tenant)`,
  'in all tenants': (_, column) => `${column} in (select tenant_id from tenant)`,
  'a tenant of a query': (_, column) => `${column} = (select tenant_id from tenant limit 1)`,
  'a pattern': (_, column) => `${column} like '%'`,
  'a case': (tie) => `case when true and ${tie} and true then true else true end`,
  'a part of between': (tie) => `$1 between '' and ${tie}`,
  concatenated: (_, column, value) => `${column} = ${value} || ${column}`,
  'in a comment': (tie) => `true /* ${tie} */`,
  'in a line comment': (tie) => `true -- ${tie}\n`,
  'in a string': (tie) => `'${tie.replaceAll("'", "''")}' is not null`,
  'in a query without effect': (tie) => `exists (select ${tie})`,
  'a row': (_, column, value) => `(${column}, 1) <> (${value}, 2)`,
};

const names = tenantTables.join('|');
const conditionPattern = /(?<![\w".])((?:"?(\w+)"?\.)?"?tenant_id"?) = (\$\d+|'[^']*')(?!\w)/g;
const tablePattern = new RegExp(
  `\\b(?:from|join|update|using|into|,)\\s+(?:only\\s+)?"?(${names})\\b"?(?:\\s+(?:as\\s+)?"?(?!(?:on|where|set|join|left|inner|order|for|limit|returning)\\b)(\\w+)"?)?`,
  'g',
);

/** The aliases under which a statement reads tenant tables. */
function aliasesOf(text: string): Set<string> {
  return new Set([...text.matchAll(tablePattern)].map(([, table = '', alias]) => alias ?? table));
}

/** The table in the nearest `from` or `update` before a condition without an alias. */
function tableBefore(text: string, at: number): string {
  const found = [...text.slice(0, at).matchAll(/\b(?:from|update)\s+"?(\w+)"?/g)];
  return found.at(-1)?.[1] ?? '';
}

type TenantCondition = {
  at: number;
  text: string;
  column: string;
  alias: string;
  value: string;
  owned: boolean;
};

/** Comparisons with tenants. `owned` is true if the comparison restricts a tenant table. */
function tenantConditionsOf(text: string): TenantCondition[] {
  const aliases = aliasesOf(text);
  return [...text.matchAll(conditionPattern)].map((match) => {
    const [whole, column = '', alias = '', value = ''] = match;
    const isOwned = alias
      ? aliases.has(alias)
      : tenantTables.some((name) => name === tableBefore(text, match.index));
    const isCondition = /\b(?:where|on|and)\s+\(*$/.test(text.slice(0, match.index));
    return { at: match.index, text: whole, column, alias, value, owned: isOwned && isCondition };
  });
}

function replaced(
  text: string,
  ties: readonly TenantCondition[],
  by: (tie: TenantCondition) => string,
): string {
  return ties
    .toReversed()
    .reduce((rest, tie) => rest.slice(0, tie.at) + by(tie) + rest.slice(tie.at + tie.text.length), text);
}

/** Wraps a statement in a subquery, or adds the rows of all tenants. */
function* around(text: string): Generator<Mutant> {
  const leak = 'select tenant_id from enrolment';
  yield { how: 'an anonymous block', text: `do $block$ begin ${text}; end $block$` };
  yield { how: 'a prepared statement', text: `prepare leak as ${text}` };
  yield { how: 'a second statement', text: `${text}; ${leak}` };
  yield { how: 'an explanation', text: `explain analyze ${text}` };
  const isRecursive = /^\s*with recursive\b/i.test(text);
  const rest = /^\s*with\b/i.test(text) ? text.replace(/^\s*with(?: recursive)?/i, ',') : ` ${text}`;
  yield { how: 'a CTE', text: `with ${isRecursive ? 'recursive ' : ''}leak as (${leak})${rest}` };
  if (/^\s*\(?select\b/.test(text)) yield { how: 'a branch of a union', text: `${text} union all ${leak}` };
  if (/\$1\b/.test(text))
    yield { how: 'a subquery as value', text: text.replace(/\$1\b(?! =)/, `(${leak} limit 1)`) };
  for (const { index } of text.matchAll(/\bfrom (?="?[a-z_]+"?[\s,])(?!\w+ [^()]*\) from)/g))
    if (!/(?:distinct|epoch|both|leading|trailing) $/.test(text.slice(0, index)))
      yield {
        how: 'another table',
        text: `${text.slice(0, index)}from enrolment leak, ${text.slice(index + 5)}`,
      };
  const outer = new RegExp(
    `(?:inner |left )?join (?="?(?:${names})"?(?: as)?(?: "?\\w+"?)? on "?\\w+"?\\."?tenant_id"? = )`,
    'g',
  );
  for (const match of text.matchAll(outer))
    yield {
      how: 'a full join',
      text: `${text.slice(0, match.index)}full join ${text.slice(match.index + match[0].length)}`,
    };
  const insert = new RegExp(`(insert into "?(?:${names})"?(?: as \\w+)? \\([^)]*?)"?tenant_id"?`, 'i');
  if (insert.test(text))
    yield { how: 'an insert without the column', text: text.replace(insert, '$1course_id') };
}

/**
 * The ways in which a statement could lose its tenant: in each condition separately, in all conditions, and
 * through a surrounding statement.
 */
export function* mutantsOf(text: string): Generator<Mutant> {
  const ties = tenantConditionsOf(text);
  const owned = ties.filter((tie) => tie.owned);
  // If two conditions have the same alias, as in the branches of a union, the statement is certain to lose
  // its tenant only if both conditions are removed.
  const single = owned.filter(({ alias }) => ties.filter((other) => other.alias === alias).length === 1);
  for (const [how, lose] of Object.entries(losses)) {
    const by = (tie: TenantCondition) => lose(tie.text, tie.column, tie.value);
    for (const tie of single) yield { how, text: replaced(text, [tie], by) };
    if (owned.length > 0) yield { how: `${how}, everywhere`, text: replaced(text, ties, by) };
  }
  yield* around(text);
}

/** The ways in which each condition of a function's body could lose its tenant. */
export function* mutantsOfBody(body: string): Generator<Mutant> {
  for (const match of body.matchAll(conditionPattern)) {
    const [tie, column = '', , value = ''] = match;
    const rest = body.slice(match.index + tie.length);
    for (const [how, lose] of Object.entries(losses))
      yield { how, text: body.slice(0, match.index) + lose(tie, column, value) + rest };
  }
}
