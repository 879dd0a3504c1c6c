import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { Json } from '../../../../standards/xapi/types.ts';
import { isObject } from '../../../../standards/xapi/values.ts';
import { exactMembers, parseExact } from '../../platform/exact-json.ts';

const erasedAccount = { homePage: 'about:blank', name: 'erased' };
const erasedAgent = { objectType: 'Agent', account: erasedAccount };

/**
 * Returns a stored statement without the person. Returns null if the statement cannot be processed,
 * so that it does not stop an erasure.
 */
export function redacted(payload: string, identity: string): string | null {
  try {
    return JSON.stringify(withoutPerson(parseExact(payload) as Json, identity));
  } catch {
    return null;
  }
}

/**
 * Replaces an object with the person's account even if it has other properties, because objects in
 * extensions can have any properties.
 */
function withoutPerson(value: Json, identity: string): Json {
  if (Array.isArray(value)) return exactMembers(value).map((item) => withoutPerson(item, identity));
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  if (identityOf({ account: value.account }) === identity) return erasedAgent;
  if (identityOf({ account: value }) === identity) return erasedAccount;
  return Object.fromEntries(
    Object.entries(exactMembers(value)).map(([name, inner]) => [name, withoutPerson(inner, identity)]),
  );
}
