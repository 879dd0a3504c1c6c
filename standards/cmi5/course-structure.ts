import {
  type XmlDocument,
  XmlDocument as XmlText,
  XmlText as XmlTextNode,
  XmlValidateError,
  XsdValidator,
} from 'libxml2-wasm';
import { type FileIndex, resolveTarget } from '../launch-path.ts';
import { parseNumber } from '../numbers.ts';
import { describeViolation } from '../schema-violations.ts';
import type { AssignableUnit, CourseTree, Unit } from '../types.ts';
import { noDetails } from '../unit-details.ts';
import { nodesIn } from '../unit-status.ts';
import type { Warn } from '../warnings.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  collapse,
  invalid,
  lineOf,
  withXml,
  type XmlElement,
} from '../xml.ts';
import { courseStructureNamespace, courseStructureXsd } from './course-structure-xsd.ts';
import { launchNames, type MoveOn, moveOns } from './vocabulary.ts';

const maxNodes = 5_000;
const maxDepth = 64;
/** A single request may satisfy all blocks, and the LMS stores a statement for each. */
const maxBlocks = 500;
const maxIdLength = 1_000;

/**
 * `files` is null for a course structure without a package. All of its URLs must then be absolute (section
 * 14.2).
 */
type Source = {
  file: string;
  files: FileIndex | null;
  ids: Set<string>;
  objectives: Set<string>;
  warn: Warn;
};

export type CourseStructure = { Title: string; Tree: CourseTree };

/**
 * Reads a cmi5 course structure. An LMS must not import a structure that violates the specification (sections
 * 13 and 14), so all violations are rejected.
 */
export function readCourseStructure(
  bytes: Uint8Array,
  file: string,
  files: FileIndex | null,
  warn: Warn,
): CourseStructure {
  return withXml(bytes, file, warn, (root, document) => {
    rejectOtherRoots(root, file);
    validate(document, file);
    const course = childOf(root, 'course');
    const source: Source = { file, files, ids: new Set(), objectives: new Set(), warn };
    const id = uniqueId(course, source);
    for (const objective of childrenOf(childOf(root, 'objectives'), 'objective'))
      source.objectives.add(uniqueId(objective, source));
    const Units = readNodes(root, source, 1);
    const blocks = [...nodesIn(Units).values()].filter(({ Kind }) => Kind === null).length;
    if (blocks > maxBlocks) throw invalid(file, root.line, `there are more than ${maxBlocks} blocks`);
    const Names = namesOf(course);
    return {
      Title: firstOf(Names) ?? 'Untitled course',
      Tree: {
        ...{ Identifier: id, Names, Units },
        ...{ Sequencing: null, ObjectivesGlobalToSystem: false, SharedDataGlobalToSystem: false },
      },
    };
  });
}

function rejectOtherRoots({ name, namespace, line }: XmlElement, file: string): void {
  if (name === 'courseStructure' && namespace === courseStructureNamespace) return;
  const found = `its root is <${name.slice(0, 60)}> in the namespace "${namespace.slice(0, 200)}"`;
  throw invalid(file, line, `${found}, not <courseStructure> in "${courseStructureNamespace}"`);
}

let validator: XsdValidator | null = null;

function compiledSchema(): XsdValidator {
  if (validator) return validator;
  const document = XmlText.fromString(courseStructureXsd);
  try {
    validator = XsdValidator.fromDoc(document);
    return validator;
  } finally {
    document.dispose();
  }
}

/** Section 14: the course structure must conform to the schema. */
function validate(document: XmlDocument, file: string): void {
  // Authoring tools name files such as page[1].html. Only the schema's type does not accept these characters.
  for (const text of document.find('//*[local-name() = "url"]/text()'))
    if (text instanceof XmlTextNode) text.content = text.content.replaceAll(/[[\]]/g, encodeURIComponent);
  try {
    compiledSchema().validate(document);
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    const [first] = error.details;
    const what = describeViolation(first?.message ?? '');
    throw invalid(file, first ? lineOf(first.line) : null, `it violates the cmi5 schema: ${what}`);
  }
}

function readNodes(parent: XmlElement, source: Source, depth: number): Unit[] {
  if (depth > maxDepth)
    throw invalid(source.file, parent.line, `blocks are nested deeper than ${maxDepth} levels`);
  return parent.children
    .filter(
      ({ name, namespace }) => namespace === courseStructureNamespace && (name === 'au' || name === 'block'),
    )
    .map((element) => {
      const UnitID = uniqueId(element, source);
      const isAu = element.name === 'au';
      warnOfObjectives(element, source);
      const Names = namesOf(element);
      return {
        ...noDetails,
        ...{ UnitID, Names, Title: firstOf(Names) ?? UnitID, Visible: true },
        ...(isAu
          ? {
              Href: addressOf(element, source),
              Kind: 'au' as const,
              Children: [],
              AssignableUnit: detailsOf(element),
            }
          : { Href: null, Kind: null, Children: readNodes(element, source, depth + 1) }),
      };
    });
}

/** Identifiers must be IRIs and unique in the course structure (sections 3.0 and 13.1). */
function uniqueId(element: XmlElement | null, { file, ids }: Source): string {
  const id = (attributeOf(element, 'id') ?? '').trim();
  const what = `the ID "${id.slice(0, 200)}" of <${element?.name ?? 'course'}>`;
  const line = element?.line ?? null;
  if (!/^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i.test(id))
    throw invalid(file, line, `${what} is not an absolute IRI such as https://example.com/au/1`);
  if (id.length > maxIdLength) throw invalid(file, line, `${what} is longer than ${maxIdLength} characters`);
  if (ids.has(id)) throw invalid(file, line, `${what} is used twice`);
  ids.add(id);
  if (ids.size > maxNodes)
    throw invalid(file, line, `there are more than ${maxNodes} AUs, blocks and objectives`);
  return id;
}

function warnOfObjectives(element: XmlElement, { objectives, warn }: Source): void {
  for (const reference of childrenOf(childOf(element, 'objectives'), 'objective')) {
    const id = attributeOf(reference, 'idref')?.trim() ?? '';
    if (objectives.has(id)) continue;
    const effect = 'this makes no difference to learners';
    warn(
      'note',
      `The objective "${id.slice(0, 200)}" is not declared; ${effect}`,
      reference.line,
      'undeclared objectives',
    );
  }
}

/** The URL of the AU (section 13.1.4), which is a file in the package or absolute. */
function addressOf(au: XmlElement, { file, files }: Source): string {
  const element = childOf(au, 'url');
  const url = (element?.text ?? '').trim();
  const reject = (why: string) =>
    invalid(file, element?.line ?? au.line, `the URL ${url.slice(0, 200)} ${why}`);
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
  const reserved = launchNames.find((name) => query.has(name));
  if (reserved)
    throw reject(`has the query parameter "${reserved}", which cmi5 reserves for the launch (section 8.1)`);
  const target = resolveTarget([], url, null, files ?? { has: () => false, find: () => null });
  if (target.kind === 'foreign' || target.kind === 'file') return target.href;
  if (target.kind === 'refused') throw reject(target.why);
  if (files === null) throw reject('is relative, but the course structure has no package. Make it absolute');
  throw reject('names a file that is not in the package');
}

function detailsOf(au: XmlElement): AssignableUnit {
  const moveOn = attributeOf(au, 'moveOn') as MoveOn | null;
  const score = attributeOf(au, 'masteryScore');
  return {
    MoveOn: moveOn !== null && moveOns.includes(moveOn) ? moveOn : 'NotApplicable',
    MasteryScore: score === null ? null : parseNumber(score),
    OwnWindow: attributeOf(au, 'launchMethod') === 'OwnWindow',
    LaunchParameters: textIn(au, 'launchParameters'),
    EntitlementKey: textIn(au, 'entitlementKey'),
    ActivityType: attributeOf(au, 'activityType'),
    Objectives: childrenOf(childOf(au, 'objectives'), 'objective').flatMap(
      (reference) => attributeOf(reference, 'idref')?.trim() ?? [],
    ),
  };
}

function textIn(au: XmlElement, name: string): string | null {
  return childOf(au, name)?.text.trim() ?? null;
}

/** The title in each of its languages. */
function namesOf(element: XmlElement | null): Record<string, string> {
  const strings = childrenOf(childOf(element, 'title'), 'langstring');
  return Object.fromEntries(
    strings.flatMap((string) => {
      const text = collapse(string.text).slice(0, 1_000);
      return text === '' ? [] : [[attributeOf(string, 'lang')?.trim() || 'und', text]];
    }),
  );
}

const firstOf = (names: Record<string, string>): string | undefined => Object.values(names)[0];
