import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { Json } from '../../../../standards/xapi/types.ts';
import { isObject } from '../../../../standards/xapi/values.ts';

const erasedAccount = { homePage: 'about:blank', name: 'erased' };
const erasedAgent = { objectType: 'Agent', account: erasedAccount };

/**
 * Returns a stored statement without the person. Null if it is not valid JSON, so that no statement
 * stops an erasure.
 */
export function redacted(payload: string, identity: string): string | null {
  try {
    return JSON.stringify(withoutPerson(JSON.parse(payload) as Json, identity));
  } catch {
    return null;
  }
}

/**
 * An object with the person's account is replaced even if it has other properties, because
 * extensions can have any.
 */
function withoutPerson(value: Json, identity: string): Json {
  if (Array.isArray(value)) return value.map((item) => withoutPerson(item, identity));
  if (!isObject(value)) return value;
  if (identityOf({ account: value.account }) === identity) return erasedAgent;
  if (identityOf({ account: value }) === identity) return erasedAccount;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutPerson(inner, identity)]),
  );
}
