import type { Edition } from '../scorm/data-model/types.ts';
import { detectStandard } from './edition.ts';
import { type ItemContext, isLaunchable, readItems } from './items.ts';
import type { FileIndex } from './launch-path.ts';
import { namedIn } from './prerequisites.ts';
import { readResources } from './resources.ts';
import { validateManifest } from './schema-validation.ts';
import { scorm12 } from './scorm12.ts';
import { scorm2004 } from './scorm2004.ts';
import type { CourseTree, Unit } from './types.ts';
import { nodesIn } from './unit-status.ts';
import type { Warn } from './warnings.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  collapse,
  invalid,
  textOf,
  withXml,
  type XmlElement,
} from './xml.ts';

export type ManifestReport = { Standard: Edition; Title: string | null; Tree: CourseTree };

/** Reads `imsmanifest.xml`. Keeps everything that can be played, and warns about errors in the manifest. */
export function readManifest(bytes: Uint8Array, file: string, files: FileIndex, warn: Warn): ManifestReport {
  return withXml(bytes, file, warn, (manifest, document) => {
    if (manifest.name.toLowerCase() !== 'manifest') {
      throw invalid(file, manifest.line, `its root is <${manifest.name.slice(0, 60)}>, not <manifest>`);
    }
    const standard = detectStandard(manifest, warn);
    warnOfSubmanifests(manifest, warn);
    const resources = readResources(manifest, files, warn);
    const reader = standard === 'scorm12' ? scorm12 : scorm2004(manifest);
    const chosen = chooseOrganization(manifest, { file, files, resources, reader, warn });
    warnOfPrerequisites(chosen.units, warn);
    warnOfAssets(chosen.units, warn);
    validateManifest(document, standard, warn);
    const title = textOf(chosen.organization, 'title') ?? titleOfMetadata(manifest);
    const Tree = { Units: chosen.units, ...reader.organization(chosen.organization, warn) };
    return { Standard: standard, Title: title?.slice(0, 1_000).toWellFormed() ?? null, Tree };
  });
}

function warnOfAssets(units: readonly Unit[], warn: Warn): void {
  const count = [...nodesIn(units).values()].filter(({ Kind }) => Kind === 'asset').length;
  if (count === 0) return;
  const pages = count === 1 ? 'One page is declared as an asset' : `${count} pages are declared as assets`;
  warn('note', `${pages}; opening it completes it, unless it calls the run-time API, which makes it a SCO`);
}

function warnOfPrerequisites(units: readonly Unit[], warn: Warn): void {
  const nodes = nodesIn(units);
  for (const { Title, Prerequisites } of nodes.values()) {
    const missing = Prerequisites === null ? undefined : namedIn(Prerequisites).find((id) => !nodes.has(id));
    if (missing !== undefined)
      warn(
        'warning',
        `The prerequisites of "${Title.slice(0, 200)}" refer to "${missing.slice(0, 200)}", which does not exist, so they block nothing`,
        null,
        'prerequisites that do not exist',
      );
  }
}

function warnOfSubmanifests(manifest: XmlElement, warn: Warn): void {
  for (const { line } of childrenOf(manifest, 'manifest')) {
    warn(
      'warning',
      'A manifest within the manifest is ignored; learners do not get its content',
      line,
      'submanifests',
    );
  }
}

/** The default organization or, if it has no page to open, the first organization that has one. */
function chooseOrganization(
  manifest: XmlElement,
  context: ItemContext,
): { organization: XmlElement; units: Unit[] } {
  const list = childOf(manifest, 'organizations');
  const all = childrenOf(list, 'organization');
  const wanted = attributeOf(list, 'default')?.trim() ?? '';
  const preferred = all.find((organization) => attributeOf(organization, 'identifier')?.trim() === wanted);
  let reason: { message: string; line: number | null } | null = null;
  for (const organization of new Set([...(preferred ? [preferred] : []), ...all])) {
    const noted: Parameters<Warn>[] = [];
    const units = readItems(organization, { ...context, warn: (...note) => noted.push(note) });
    if (units.some(isLaunchable)) {
      if (organization !== preferred) warnOfDefault(wanted, organization, list, context.warn);
      if (all.length > 1) warnOfOthers(all.length, organization, context.warn);
      for (const note of noted) context.warn(...note);
      return { organization, units };
    }
    const [, message = 'it has no items', line = organization.line] = noted[0] ?? [];
    reason ??= { message, line };
  }
  const why = reason ? `: ${reason.message}` : '';
  const line = reason?.line ?? list?.line ?? manifest.line;
  throw invalid(context.file, line, `no organization has an item that a learner could open${why}`);
}

function warnOfDefault(wanted: string, chosen: XmlElement, list: XmlElement | null, warn: Warn): void {
  const why = wanted
    ? `The default organization "${wanted.slice(0, 100)}" cannot be used`
    : 'No default organization is declared';
  warn('warning', `${why}; learners get "${titleOf(chosen)}"`, list?.line);
}

function warnOfOthers(count: number, chosen: XmlElement, warn: Warn): void {
  warn('warning', `Of ${count} organizations, learners get only "${titleOf(chosen)}"`, chosen.line);
}

function titleOf(organization: XmlElement): string {
  const title = textOf(organization, 'title') ?? attributeOf(organization, 'identifier');
  return (
    title?.slice(0, 200) ||
    `an organization without a title${organization.line === null ? '' : ` on line ${organization.line}`}`
  );
}

/** Reads `metadata/lom/general/title`, whose text is in `langstring` (1.2) or `string` (2004). */
function titleOfMetadata(manifest: XmlElement): string | null {
  const title = childOf(childOf(childOf(childOf(manifest, 'metadata'), 'lom'), 'general'), 'title');
  return collapse(title?.children[0]?.text ?? title?.text ?? '') || null;
}
