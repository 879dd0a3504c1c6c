/**
 * Finds the package's files by any name that a manifest may use: as written, decoded, or in another case or
 * Unicode form.
 */
export type FileIndex = { has: (path: string) => boolean; find: (path: string) => string | null };

export type Target =
  | { kind: 'file'; href: string; path: string; exact: boolean }
  | { kind: 'missing'; href: string; path: string }
  | { kind: 'foreign'; href: string }
  | { kind: 'refused'; why: string };

/**
 * Resolves a manifest's href against its `xml:base` values, which are ordered outermost first, and adds the
 * item's parameters.
 */
export function resolveTarget(
  bases: (string | null)[],
  href: string,
  parameters: string | null,
  files: FileIndex,
): Target {
  const target = resolve(bases, href, parameters, files);
  if (target.kind !== 'missing') return target;
  // Many tools write the name of a folder without the slash at its end.
  const folders = bases.map((base) => base?.trim().replace(/[^/\\]$/, '$&/') ?? null);
  const found = resolve(folders, href, parameters, files);
  return found.kind === 'file' ? found : target;
}

function resolve(
  bases: (string | null)[],
  href: string,
  parameters: string | null,
  files: FileIndex,
): Target {
  const [path, query, fragment] = splitReference(joinBases(bases, href.trim()));
  const suffix = withParameters(query, fragment, parameters ?? '');
  if (/^(https?:)?\/\//i.test(path)) return foreign(path, suffix);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) return { kind: 'refused', why: 'is not a file in the package' };
  const plain = withoutDots(path);
  if (plain === null) return { kind: 'refused', why: 'points outside the package' };
  if (plain === '') return { kind: 'refused', why: 'does not name a file' };
  const decoded = withoutDots(decode(plain));
  if (decoded === null) return { kind: 'refused', why: 'points outside the package' };
  const candidate = files.has(plain) ? plain : (files.find(decoded) ?? files.find(plain));
  if (candidate === null) return { kind: 'missing', href: encodePath(decoded) + suffix, path: decoded };
  const exact = candidate === plain || candidate === decoded;
  return { kind: 'file', href: encodePath(candidate) + suffix, path: candidate, exact };
}

function foreign(path: string, suffix: string): Target {
  const url = URL.parse(encodeLoose(path.startsWith('//') ? `https:${path}` : path) + suffix);
  return url ? { kind: 'foreign', href: url.href } : { kind: 'refused', why: 'is not a valid address' };
}

function joinBases(bases: (string | null)[], href: string): string {
  const [path] = splitReference(href);
  const rest = href.slice(path.length);
  let joined = '';
  for (const part of [...bases, path]) {
    const clean = (part ?? '').trim().replaceAll('\\', '/');
    if (clean === '') continue;
    const absolute = /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(clean);
    joined = absolute ? clean : joined.slice(0, joined.lastIndexOf('/') + 1) + clean;
  }
  return joined + rest;
}

function splitReference(reference: string): [path: string, query: string, fragment: string] {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(reference) ?? [];
  return [path, query.slice(1), fragment.slice(1)];
}

/**
 * CAM §3.4: leading `?` and `&` are removed. Parameters that start with `#` become the fragment, unless the
 * href has one. Other parameters are appended to the query.
 */
function withParameters(query: string, fragment: string, parameters: string): string {
  const added = parameters.trim().replace(/^[?&]+/, '');
  const [more, anchor] = added.startsWith('#') ? ['', added.slice(1)] : splitAnchor(added);
  const search = [query, more].filter((part) => part !== '').join('&');
  const hash = fragment || anchor;
  return (search && `?${encodeLoose(search)}`) + (hash && `#${encodeLoose(hash)}`);
}

function splitAnchor(text: string): [string, string] {
  const at = text.indexOf('#');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function withoutDots(path: string): string | null {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && kept.pop() === undefined) return null;
    if (segment !== '' && segment !== '.' && segment !== '..') kept.push(segment);
  }
  return kept.join('/');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/');
}

/** Percent-encodes characters that a URL cannot contain. Encoded characters stay unchanged. */
function encodeLoose(text: string): string {
  return encodeURI(text.toWellFormed()).replace(/%25(?=[0-9a-f]{2})/gi, '%');
}
