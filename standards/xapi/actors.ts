import { invalid } from './invalid.ts';
import type { Actor, Agent, Json } from './types.ts';
import {
  type Check,
  checkObject,
  iri,
  isObject,
  listOf,
  mailbox,
  objectAt,
  oneOf,
  type Properties,
  sha1,
  text,
} from './values.ts';

/** Data 2.4.2.4. */
const account: Check = (value, path) => {
  checkObject(value, path, { homePage: iri, name: text }, ['homePage', 'name']);
};

/** Data 2.4.2.3: the properties that identify an actor. */
const identifiers: Properties = { mbox: mailbox, mbox_sha1sum: sha1, openid: iri, account };
const identifierNames = Object.keys(identifiers);

function identifierCount(value: object): number {
  return identifierNames.filter((name) => Object.hasOwn(value, name)).length;
}

/** Data 2.4.2.1. */
export const agent: Check = (value, path) => {
  const found = checkObject(value, path, { objectType: oneOf('Agent'), name: text, ...identifiers });
  if (identifierCount(found) !== 1) invalid(path, `must have exactly one of ${identifierNames.join(', ')}.`);
};

/** Data 2.4.2.2: an anonymous group needs members. A group cannot contain groups. */
export const group: Check = (value, path) => {
  const properties = {
    objectType: oneOf('Group'),
    name: text,
    member: listOf(agent),
    ...identifiers,
  };
  const found = checkObject(value, path, properties, ['objectType']);
  const count = identifierCount(found);
  if (count > 1) invalid(path, `must have at most one of ${identifierNames.join(', ')}.`);
  if (count === 0 && !(Array.isArray(found.member) && found.member.length > 0))
    invalid(path, 'has no identifier, so it needs at least one member.');
};

export const actor: Check = (value, path) => {
  if (objectAt(value, path).objectType === 'Group') group(value, path);
  else agent(value, path);
};

/** Data 2.4.9: an agent. With OAuth, it is an anonymous group of the application and the user. */
export const authority: Check = (value, path) => {
  actor(value, path);
  const found = objectAt(value, path);
  if (found.objectType !== 'Group') return;
  const members = Array.isArray(found.member) ? found.member : [];
  if (identifierCount(found) > 0 || members.length !== 2)
    invalid(path, 'must be an agent, or an anonymous group of exactly two agents.');
};

/**
 * Identifies an agent or an identified group. Two actors with equal keys are the same (Data 2.4.2.3). Null
 * for an anonymous group. Never throws, because any object in stored data can look like an agent.
 */
export function identityOf(
  actor: { [Name in keyof Omit<Agent, 'objectType'>]?: Json | undefined },
): string | null {
  const { mbox, mbox_sha1sum, openid, account } = actor;
  if (typeof mbox === 'string') return `mbox ${mbox}`;
  if (typeof mbox_sha1sum === 'string') return `mbox_sha1sum ${mbox_sha1sum.toLowerCase()}`;
  if (typeof openid === 'string') return `openid ${openid}`;
  if (isObject(account)) return `account ${JSON.stringify([account.homePage, account.name])}`;
  return null;
}

/** The identities of an actor and, for a group, of its members. */
export function identitiesOf(actor: Actor): string[] {
  const members = 'member' in actor ? (actor.member ?? []) : [];
  return [actor, ...members].map(identityOf).filter((identity) => identity !== null);
}

/** Reads the parameter `agent`, which is an agent or an identified group as JSON. */
export function readAgent(value: Json, path: string): Actor {
  actor(value, path);
  const found = value as unknown as Actor;
  if (identityOf(found) === null) invalid(path, 'must have an identifier.');
  return found;
}
