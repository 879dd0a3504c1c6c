import filters, { type Filter } from 'scim2-parse-filter';
import { isRecord, type Json, type Resource } from './json.ts';
import { refuse, schemaIds } from './protocol.ts';

/** The part of a PATCH request (RFC 7644 §3.5.2) that changes one attribute. */
export type Operation = { op: 'add' | 'replace' | 'remove'; path: string | null; value: Json };

const multiValued = new Set(
  [
    'emails',
    'phoneNumbers',
    'addresses',
    'ims',
    'photos',
    'roles',
    'entitlements',
    'x509Certificates',
    'members',
    'groups',
  ].map((name) => name.toLowerCase()),
);

/** Attributes that the service decides. Providers send them anyway, so they are ignored. */
const readOnly = new Set(['id', 'meta', 'schemas', 'groups']);

/** Entra sends `Replace` and `Add`, and values without an array. */
export function readOperations(body: Json): Operation[] {
  const list = isRecord(body) ? (body.Operations ?? body.operations) : undefined;
  if (!Array.isArray(list) || list.length === 0)
    return refuse('invalidSyntax', 'Send "Operations" with at least one operation.');
  return list.map((one: Json) => {
    const op = isRecord(one) ? String(one.op).toLowerCase() : '';
    if (!isRecord(one) || (op !== 'add' && op !== 'replace' && op !== 'remove'))
      return refuse('invalidSyntax', 'op must be add, replace or remove.');
    const path = one.path == null || one.path === '' ? null : String(one.path);
    if (op === 'remove' && path === null) return refuse('noTarget', 'A remove operation needs a path.');
    return { op, path, value: one.value };
  });
}

type Path = { container: string | null; name: string; filter: Filter | null; sub: string | null };

const prefixes = [schemaIds.user, schemaIds.group].map((id) => `${id}:`.toLowerCase());

export function parseFilter(text: string): Filter {
  try {
    return filters.parse(text);
  } catch (error) {
    return refuse(
      'invalidFilter',
      `The filter cannot be read: ${(error as Error).message}. Example: userName eq "ada".`,
    );
  }
}

/** `emails[type eq "work"].value`, `name.givenName`, `urn:…:User:manager`. */
function parsePath(text: string): Path {
  const lower = text.toLowerCase();
  const prefix = prefixes.find((one) => lower.startsWith(one));
  if (prefix) return parsePath(text.slice(prefix.length));
  if (lower.startsWith('urn:')) {
    // The version in a URN contains a dot, so the attribute is what follows the last colon before a bracket.
    const isWhole = lower === schemaIds.enterprise.toLowerCase();
    const end = isWhole ? text.length : (text.split('[', 1)[0]?.lastIndexOf(':') ?? 0);
    const given = text.slice(0, end);
    const container =
      given.toLowerCase() === schemaIds.enterprise.toLowerCase() ? schemaIds.enterprise : given;
    if (isWhole) return { container: null, name: container, filter: null, sub: null };
    return { ...parsePath(text.slice(end + 1)), container };
  }
  const [, name, condition, sub = null] = /^([^.[\]]+)(?:\[(.*)\])?(?:\.([^.[\]]+))?$/s.exec(text) ?? [];
  if (!name)
    return refuse('invalidPath', `The path ${text} cannot be read. Example: emails[type eq "work"].value.`);
  return { container: null, name, filter: condition === undefined ? null : parseFilter(condition), sub };
}

/** Attribute names are case-insensitive (RFC 7643 §2.1). */
const keyOf = (record: Resource, name: string) =>
  Object.keys(record).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;

const textOf = (value: Json) => (typeof value === 'string' ? value.toLowerCase() : value);

/** Whether one value of a multi-valued attribute fits, all conditions on the same value. */
export function fits(item: Json, filter: Filter): boolean {
  const record: Resource = isRecord(item) ? item : { value: item };
  if ('filters' in filter) {
    const results = filter.filters.map((one) => fits(item, one));
    return filter.op === 'and' ? results.every(Boolean) : results.some(Boolean);
  }
  if (filter.op === 'not') return !fits(item, filter.filter);
  if (filter.op === '[]') return refuse('invalidFilter', 'A filter in a path cannot contain another one.');
  const value = record[keyOf(record, filter.attrPath)];
  if (filter.op === 'pr') return value != null && value !== '';
  const [own, other] = [textOf(asBoolean(value)), textOf(asBoolean(filter.compValue))];
  if (filter.op === 'eq') return own === other;
  if (filter.op === 'ne') return own !== other;
  if (typeof own !== 'string' || typeof other !== 'string') return false;
  if (filter.op === 'co') return own.includes(other);
  if (filter.op === 'sw') return own.startsWith(other);
  if (filter.op === 'ew') return own.endsWith(other);
  return refuse('invalidFilter', `${filter.op} is not supported in a path. Use eq.`);
}

/** The values that a new item needs so that it fits: those of `eq`. */
function templateOf(filter: Filter): Resource {
  if (filter.op === 'eq') return { [filter.attrPath]: filter.compValue };
  if (filter.op === 'and') return Object.assign({}, ...filter.filters.map(templateOf));
  return {};
}

/** Entra sends "True" and "False". */
export function asBoolean(value: Json): Json {
  if (typeof value !== 'string' || !/^(true|false)$/i.test(value)) return value;
  return value.toLowerCase() === 'true';
}

const asList = (value: Json): Json[] => (Array.isArray(value) ? value : value == null ? [] : [value]);
const asItem = (value: Json): Resource => (isRecord(value) ? value : { value });

const isSame = (one: Json, other: Json) =>
  isRecord(one) && isRecord(other)
    ? one.value === other.value && (one.type ?? null) === (other.type ?? null)
    : one === other;

/** Only one value is primary: the one that was set last. */
function withOnePrimary(items: Json[], changed: readonly Json[]): Json[] {
  const primary = changed.findLast((item) => isRecord(item) && asBoolean(item.primary) === true);
  if (!primary) return items;
  return items.map((item) =>
    item === primary || !isRecord(item) || !item.primary ? item : { ...item, primary: false },
  );
}

function changeItems(before: Json[], { filter, sub }: Path, { op, value }: Operation): Json[] {
  if (filter === null && sub === null) {
    const sent = asList(value).map(asItem);
    if (op === 'replace') return withOnePrimary(sent, sent);
    if (op === 'add') {
      const more = sent.filter((item) => !before.some((one) => isSame(one, item)));
      return withOnePrimary([...before, ...more], more);
    }
    // A removal with values removes these values only, not all.
    return value === undefined
      ? []
      : before.filter((item) => !sent.some((one) => asItem(item).value === one.value));
  }
  const isTarget = (item: Json, at: number) =>
    filter === null
      ? before.some((one) => asItem(one).primary)
        ? asItem(item).primary === true
        : at === 0
      : fits(item, filter);
  if (op === 'remove') {
    if (sub === null) return before.filter((item, at) => !isTarget(item, at));
    return before.map((item, at) => (isTarget(item, at) ? without(asItem(item), sub) : item));
  }
  const changed = (item: Resource): Resource => ({
    ...item,
    ...(sub === null ? asItem(asList(value)[0]) : { [keyOf(item, sub)]: value }),
  });
  const hasTarget = before.some(isTarget);
  const items = before.map((item, at) => (isTarget(item, at) ? changed(asItem(item)) : item));
  // Entra replaces a value that is not there yet.
  const added = hasTarget ? [] : [changed(filter ? templateOf(filter) : {})];
  return withOnePrimary(
    [...items, ...added],
    hasTarget ? items.filter((item) => !before.includes(item)) : added,
  );
}

function without(record: Resource, name: string): Resource {
  const { [keyOf(record, name)]: _, ...rest } = record;
  return rest;
}

function changeAttribute(record: Resource, path: Path, operation: Operation): Resource {
  const { op, value } = operation;
  const key = keyOf(record, path.name);
  const before = record[key];
  if (readOnly.has(key.toLowerCase())) return record;
  if (multiValued.has(key.toLowerCase()) || path.filter)
    return { ...record, [key]: changeItems(asList(before), path, operation) };
  if (path.sub !== null) {
    const inner = isRecord(before) ? before : before == null ? {} : { value: before };
    const next = op === 'remove' ? without(inner, path.sub) : { ...inner, [keyOf(inner, path.sub)]: value };
    return { ...record, [key]: next };
  }
  if (op === 'remove' || value === null) return without(record, key);
  const merged = isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
  return { ...record, [key]: merged };
}

function applyOne(resource: Resource, { op, path, value }: Operation): Resource {
  if (path === null) {
    if (!isRecord(value)) return refuse('invalidValue', 'Without a path, value must be an object.');
    // The keys of the object are paths, in some dialects with dots or a schema in front.
    return Object.entries(value).reduce(
      (all, [key, part]) => applyOne(all, { op, path: key, value: part }),
      resource,
    );
  }
  const parsed = parsePath(path);
  if (parsed.container === null) {
    if (isRecord(value) && parsed.name.toLowerCase().startsWith('urn:'))
      return { ...resource, [parsed.name]: mergeInto(resource[parsed.name], { op, path: null, value }) };
    return changeAttribute(resource, parsed, { op, path, value });
  }
  const inner = resource[parsed.container];
  return {
    ...resource,
    [parsed.container]: changeAttribute(isRecord(inner) ? inner : {}, parsed, { op, path, value }),
  };
}

const mergeInto = (before: Json, operation: Operation) => applyOne(isRecord(before) ? before : {}, operation);

/** The resource after all operations. Nothing is stored if one of them fails. */
export function applyOperations(resource: Resource, operations: readonly Operation[]): Resource {
  return operations.reduce(applyOne, resource);
}

/** A PUT: attributes that are not sent stay, because providers leave out what they do not know. */
export function merged(before: Resource, sent: Resource): Resource {
  return applyOne(before, { op: 'replace', path: null, value: sent });
}
