import { type FileIndex, resolveTarget } from './launch-path.ts';
import type { CourseTree, Unit } from './types.ts';
import { noDetails } from './unit-details.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, childOf, childrenOf, collapse, invalid, withXml, type XmlElement } from './xml.ts';

const maxActivities = 5_000;

/**
 * Reads `tincan.xml`. Activities with a page to launch become units. Other activities only describe the
 * objects of statements, so learners do not see them.
 */
export function readXapiPackage(
  bytes: Uint8Array,
  file: string,
  files: FileIndex,
  warn: Warn,
): { Title: string | null; Tree: CourseTree } {
  return withXml(bytes, file, warn, (root) => {
    if (root.name.toLowerCase() !== 'tincan')
      throw invalid(file, root.line, `its root is <${root.name.slice(0, 60)}>, not <tincan>`);
    const activities = childrenOf(childOf(root, 'activities'), 'activity');
    if (activities.length > maxActivities)
      throw invalid(file, root.line, `there are more than ${maxActivities} activities`);
    const ids = new Set<string>();
    const Units = activities
      .filter((activity) => childOf(activity, 'launch') !== null)
      .map((activity) => unitOf(activity, { file, files, ids, warn }));
    if (Units.length === 0) throw invalid(file, root.line, 'no activity has a page to launch');
    return {
      Title: Units[0]?.Title ?? null,
      Tree: {
        ...{ Units, Sequencing: null },
        ...{ ObjectivesGlobalToSystem: false, SharedDataGlobalToSystem: false },
      },
    };
  });
}

type Source = { file: string; files: FileIndex; ids: Set<string>; warn: Warn };

function unitOf(activity: XmlElement, { file, files, ids, warn }: Source): Unit {
  const UnitID = attributeOf(activity, 'id')?.trim() ?? '';
  if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(UnitID) || UnitID.length > 1_000)
    throw invalid(file, activity.line, `the activity ID "${UnitID.slice(0, 200)}" is not an absolute IRI`);
  if (ids.has(UnitID)) throw invalid(file, activity.line, `the activity ID "${UnitID}" is used twice`);
  ids.add(UnitID);
  const names = childrenOf(activity, 'name').flatMap((name) => {
    const text = collapse(name.text).slice(0, 1_000);
    return text === '' ? [] : [[attributeOf(name, 'lang')?.trim() || 'und', text] as const];
  });
  const launch = childOf(activity, 'launch');
  const address = launch?.text.trim() ?? '';
  const target = resolveTarget([], address, null, files);
  if (target.kind === 'refused')
    throw invalid(file, launch?.line ?? null, `the launch address ${address.slice(0, 200)} ${target.why}`);
  if (target.kind === 'missing')
    warn(
      'error',
      `The page ${target.path} of the activity "${UnitID}" is not in the package; learners who open it get an error page and cannot complete it`,
      launch?.line,
      'pages that are not in the package',
    );
  return {
    ...noDetails,
    ...{ UnitID, Names: Object.fromEntries(names), Title: names[0]?.[1] ?? UnitID },
    ...{ Href: target.href, Kind: 'au', Visible: true, Children: [] },
  };
}
