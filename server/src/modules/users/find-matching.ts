import type { TenantContext } from '../../platform/context.ts';
import { type List, readVisit, type Visited, visitSql } from '../../platform/db/list-scan.ts';
import { type Parameters, parametersAfter } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import { cleanText } from '../../platform/unicode.ts';
import {
  beginsSql,
  firstPosition,
  hasWordsSql,
  type Position,
  readExact,
  userList,
  wordList,
} from './search.ts';
import { searchWords } from './words.ts';

const visitedAtOnce = 1_000;

/** Common words that rarely occur together could take any number of statements, with 1,000 words each. */
export type FindLimits = { maxUsers: number; maxStatements: number };

type Row = { user_id: string; word?: string; login_id?: string };

/**
 * The IDs of the users that a search finds, for lists of their records. Returns null if there are more users, or if
 * finding them takes more statements. Then, such a list can check each of its rows with `matchesSql`.
 */
export async function findMatchingUsers(
  ctx: TenantContext,
  Search: string,
  { maxUsers, maxStatements }: FindLimits,
): Promise<string[] | null> {
  const input = { Search, Limit: visitedAtOnce };
  const words = searchWords(Search);
  const found = new Set((await readExact(ctx, input)).map(({ user_id }) => user_id));
  let position = await firstPosition(ctx, input, words);
  for (let n = 0; n < maxStatements; n++) {
    const list =
      'loginId' in position
        ? userList(ctx, input, words, position.loginId)
        : wordList(ctx, input, { words, place: position, exact: [] });
    const { rows, end } = await visit(ctx, list);
    for (const { user_id } of rows) found.add(user_id);
    if (found.size > maxUsers) return null;
    if (end === null) return [...found];
    position = positionOf(end, position);
  }
  return null;
}

/** The next rows along the list's only path, without the columns of the users. */
async function visit(ctx: TenantContext, list: List) {
  const [pathOf] = list.accessPaths;
  if (!pathOf) throw new Error('A search needs an access path.');
  const parameters = parametersAfter(...list.values);
  const columns = [...new Set(['user_id', ...list.key]), 'visited', 'found'];
  const page = visitSql(list, pathOf(parameters), parameters, visitedAtOnce);
  const text = `select ${columns.map((name) => `held.${name}`).join(', ')} from (${page}) held`;
  return readVisit(await run<Row & Visited>(ctx, { text, values: parameters.values }), visitedAtOnce);
}

function positionOf({ word = '', login_id = '', user_id }: Row, before: Position): Position {
  return 'loginId' in before ? { loginId: login_id } : { leading: before.leading, word, id: user_id };
}

/** SQL for whether a search finds a row of `"user"`, without `user_word`. */
export function matchesSql(search: string, user: string, parameters: Parameters): string {
  const words = searchWords(search);
  if (words.length === 0) return beginsSql(search, user, parameters);
  return `(${hasWordsSql(user, words, parameters)} or ${user}.login_id = ${parameters.add(cleanText(search))})`;
}
