import { type FileIndex, resolveTarget } from './launch-path.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, childOf, childrenOf, type XmlElement } from './xml.ts';

export type Resource = {
  identifier: string;
  href: string | null;
  /** The `xml:base` values that apply, outermost first. */
  bases: (string | null)[];
  kind: 'sco' | 'asset';
  line: number | null;
};

/** Reads the resources by identifier. Warns about listed files that are missing from the package. */
export function readResources(manifest: XmlElement, files: FileIndex, warn: Warn): Map<string, Resource> {
  const list = childOf(manifest, 'resources');
  const elements = childrenOf(list, 'resource');
  const typed = elements.some((element) => attributeOf(element, 'scormtype') !== null);
  const resources = new Map<string, Resource>();
  for (const element of elements) {
    const identifier = attributeOf(element, 'identifier')?.trim() ?? '';
    const bases = [manifest, list, element].map((owner) => baseOf(owner));
    if (resources.has(identifier)) {
      warn(
        'warning',
        `The resource "${identifier}" is declared twice; learners get the first one`,
        element.line,
      );
      continue;
    }
    const kind = kindOf(element, typed, warn);
    const href = attributeOf(element, 'href')?.trim() || null;
    resources.set(identifier, { identifier, href, bases, kind, line: element.line });
    warnOfMissingFiles(element, bases, files, warn);
  }
  return resources;
}

function baseOf(element: XmlElement | null): string | null {
  return (
    element?.attributes.find(
      ({ name, namespace }) => name === 'base' && /^xml$|XML\/1998\/namespace/.test(namespace),
    )?.value ?? null
  );
}

function kindOf(element: XmlElement, typed: boolean, warn: Warn): 'sco' | 'asset' {
  const scormType = attributeOf(element, 'scormtype')?.trim().toLowerCase();
  if (scormType === 'sco' || scormType === 'asset') return scormType;
  if (scormType === undefined && typed) return 'asset';
  const why =
    scormType === undefined
      ? 'No resource has a scormType'
      : `The scormType "${scormType.slice(0, 40)}" is unknown`;
  warn(
    'warning',
    `${why}; the content gets access to the run-time API, and is completed only when it reports completion`,
    element.line,
    'unclear scormType',
  );
  return 'sco';
}

function warnOfMissingFiles(
  element: XmlElement,
  bases: (string | null)[],
  files: FileIndex,
  warn: Warn,
): void {
  for (const file of childrenOf(element, 'file')) {
    const href = attributeOf(file, 'href') ?? '';
    if (href === attributeOf(element, 'href')) continue;
    const target = resolveTarget(bases, href, null, files);
    if (target.kind !== 'missing') continue;
    warn(
      'warning',
      `The file ${target.path} is listed but not in the package; learners see a gap wherever the course uses it`,
      file.line,
      'listed files that are not in the package',
    );
  }
}
