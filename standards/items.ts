import { type FileIndex, resolveTarget, type Target } from './launch-path.ts';
import type { Resource } from './resources.ts';
import type { CourseTree, Unit } from './types.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, childrenOf, invalid, textOf, type XmlElement } from './xml.ts';

export type UnitDetails = Omit<Unit, 'UnitID' | 'Title' | 'Href' | 'Kind' | 'Visible' | 'Children'>;

/** The parts of reading items and organizations that differ between the standards. */
export type StandardReader = {
  /** Whether an item with children may also open a page. */
  groupsOpenPages: boolean;
  item: (item: XmlElement, warn: Warn) => UnitDetails;
  organization: (organization: XmlElement, warn: Warn) => Omit<CourseTree, 'Units'>;
};

export type ItemContext = {
  file: string;
  files: FileIndex;
  resources: Map<string, Resource>;
  reader: StandardReader;
  warn: Warn;
};

const maxDepth = 64;
const maxItems = 5_000;

export function isLaunchable(unit: Unit): boolean {
  return (unit.Href !== null && unit.Kind !== null) || unit.Children.some(isLaunchable);
}

export function readItems(organization: XmlElement, context: ItemContext): Unit[] {
  const seen = new Set<string>();
  const read = (parent: XmlElement, depth: number): Unit[] =>
    childrenOf(parent, 'item').map((item) => {
      if (depth > maxDepth)
        throw invalid(context.file, item.line, `items are nested deeper than ${maxDepth} levels`);
      const UnitID = uniqueIdentifier(item, seen, context.warn);
      if (seen.size > maxItems)
        throw invalid(context.file, item.line, `there are more than ${maxItems} items`);
      const Children = read(item, depth + 1);
      return {
        UnitID,
        Title: textOf(item, 'title')?.slice(0, 1_000).toWellFormed() ?? UnitID,
        ...launchOf(item, UnitID, Children.length > 0, context),
        Visible: !/^(false|0|no)$/i.test(attributeOf(item, 'isvisible')?.trim() ?? ''),
        Children,
        ...context.reader.item(item, context.warn),
      };
    });
  return read(organization, 1);
}

function uniqueIdentifier(item: XmlElement, seen: Set<string>, warn: Warn): string {
  const identifier = attributeOf(item, 'identifier')?.trim().slice(0, 1_000) || `item-${seen.size + 1}`;
  let unique = identifier;
  for (let count = 2; seen.has(unique); count += 1) unique = `${identifier}-${count}`;
  if (unique !== identifier) {
    warn(
      'note',
      `The item identifier "${identifier}" is used twice; the second item is renamed "${unique}"`,
      item.line,
      'item identifiers used twice',
    );
  }
  seen.add(unique);
  return unique;
}

function launchOf(
  item: XmlElement,
  name: string,
  isGroup: boolean,
  { reader, resources, files, warn }: ItemContext,
): Pick<Unit, 'Href' | 'Kind'> {
  const nothing = { Href: null, Kind: null };
  const reference = attributeOf(item, 'identifierref')?.trim();
  const opensNothing = (reason: string, line = item.line) => {
    warn(
      'warning',
      `The item "${name}" opens nothing: ${reason}. Learners see only its title`,
      line,
      'items that open nothing',
    );
    return nothing;
  };
  if (!reference) return isGroup ? nothing : opensNothing('it refers to no resource');
  if (isGroup && !reader.groupsOpenPages) {
    warn(
      'warning',
      `The item "${name}" has child items, so the page it refers to is not shown to learners`,
      item.line,
      'groups with their own page',
    );
    return nothing;
  }
  const resource = resources.get(reference);
  if (!resource) return opensNothing(`its resource "${reference.slice(0, 100)}" does not exist`);
  if (!resource.href) return opensNothing(`its resource "${resource.identifier}" has no href`, resource.line);
  const target = resolveTarget(resource.bases, resource.href, attributeOf(item, 'parameters'), files);
  if (target.kind === 'refused')
    return opensNothing(`its address ${resource.href.slice(0, 200)} ${target.why}`, resource.line);
  warnOfTarget(target, name, resource, warn);
  return { Href: target.href, Kind: resource.kind };
}

/**
 * A missing page does not prevent the import, because catalogues are often prepared before their content is
 * complete.
 */
function warnOfTarget(target: Target, name: string, resource: Resource, warn: Warn): void {
  if (target.kind === 'missing') {
    const effect = 'learners who open it get an error page and cannot complete it';
    warn(
      'error',
      `The page ${target.path} of the item "${name}" is not in the package; ${effect}`,
      resource.line,
      'pages that are not in the package',
    );
  }
  if (target.kind === 'foreign') {
    const isSco = resource.kind === 'sco';
    const effect = isSco
      ? 'learners can open it but cannot complete it, because a page on another site cannot report results'
      : 'learners can open it, but a page on another site cannot report results';
    warn(
      isSco ? 'error' : 'warning',
      `The item "${name}" opens ${target.href.slice(0, 200)}; ${effect}`,
      resource.line,
      'pages elsewhere',
    );
  }
  if (target.kind === 'file' && !target.exact) {
    const effect = 'learners can open it, but other file names may be misspelt as well';
    warn(
      'warning',
      `The package contains ${target.path} instead of ${resource.href?.slice(0, 200)} as named in the manifest; ${effect}`,
      resource.line,
      'misspelt paths',
    );
  }
}
