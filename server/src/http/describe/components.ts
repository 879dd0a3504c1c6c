type Value = unknown;
type Members = Record<string, unknown>;

/** Members that contain data, not schemas. */
const data = new Set(['example', 'examples', 'default', 'const', 'enum']);
const isMembers = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces every part of the document with the result of `change`, innermost parts first. */
function walk(value: Value, change: (part: Members) => Members): Value {
  if (Array.isArray(value)) return value.map((part) => walk(part, change));
  if (!isMembers(value)) return value;
  const walked = Object.entries(value).map(([name, part]) => [
    name,
    data.has(name) ? part : walk(part, change),
  ]);
  return change(Object.fromEntries(walked));
}

function walkDocument(document: Members, change: (part: Members) => Members): Members {
  const walked = walk(document, change);
  return isMembers(walked) ? walked : {};
}

/** Moves parts into one section of the document and replaces them with references. */
function collect(place: string) {
  const found: Members = {};
  const refer = (name: string, part: Members) => {
    found[name] ??= part;
    if (JSON.stringify(found[name]) !== JSON.stringify(part))
      throw new Error(`Two different ${place} are named ${name}. Rename one of them.`);
    return { $ref: `#/components/${place}/${name}` };
  };
  return { found, refer };
}

const isRecord = ({ title, type }: Members) => typeof title === 'string' && type === 'object';
const isParameter = ({ in: place, name, schema }: Members) =>
  typeof place === 'string' && typeof name === 'string' && isMembers(schema);

/** The parameters that several operations share. If two have the same name, only the more frequent one is shared. */
function sharedParameters(document: Members): Set<string> {
  const uses = new Map<string, { name: string; count: number }>();
  walk(document, (part) => {
    const text = JSON.stringify(part);
    if (isParameter(part))
      uses.set(text, { name: String(part.name), count: (uses.get(text)?.count ?? 0) + 1 });
    return part;
  });
  const frequent = [...uses].filter(([, { count }]) => count > 1);
  const best = new Map<string, string>();
  for (const [text, { name }] of frequent.sort(([, one], [, other]) => one.count - other.count))
    best.set(name, text);
  return new Set(best.values());
}

/** Writes each record and parameter once, under `components`, so that tools know its name. */
export function nameComponents(document: Members): Members {
  const [schemas, parameters] = [collect('schemas'), collect('parameters')];
  const named = walkDocument(document, (part) =>
    isRecord(part) ? schemas.refer(String(part.title), part) : part,
  );
  const shared = sharedParameters(named);
  const whole = walkDocument(named, (part) =>
    isParameter(part) && shared.has(JSON.stringify(part)) ? parameters.refer(String(part.name), part) : part,
  );
  const components = {
    ...Object(whole.components),
    schemas: schemas.found,
    parameters: parameters.found,
  };
  return { ...whole, components };
}
