import { parseSeconds } from '../durations.ts';
import { type FileIndex, resolveTarget } from '../launch-path.ts';
import { parseNumber } from '../numbers.ts';
import type { CourseTree, Unit } from '../types.ts';
import { noDetails } from '../unit-details.ts';
import type { Warn } from '../warnings.ts';
import { collapse, invalid } from '../xml.ts';
import { type CourseFiles, courseValue, decodeText, tableIn } from './course-files.ts';
import { readStructure } from './structure.ts';
import { cellOf, type Row, type Table } from './tables.ts';

const maxUnits = 5_000;
const maxLength = 1_000;

/** The files of a course, and a function that reports their deviations from the standard. */
export type Source = {
  found: CourseFiles;
  /** The bytes of each file in `found`, by path. */
  bytes: ReadonlyMap<string, Uint8Array>;
  files: FileIndex;
  warn: (file: string | null) => Warn;
};

/** Reads an AICC course: its title (`.crs`), units (`.au`), their titles (`.des`), and its structure (`.cst`). */
export function readAiccCourse(source: Source): { Title: string | null; Tree: CourseTree } {
  const { found } = source;
  const crs = textOf(source, found.crs);
  const titles = titlesIn(source);
  const units = unitsIn(source, titles);
  for (const path of found.ignored)
    if (tableIn(textOf(source, path), path).rows.length > 0)
      source.warn(path)(
        'warning',
        'Prerequisites and completion rules are not enforced; learners can open all units',
      );
  const Units = found.cst
    ? readStructure(
        tableIn(textOf(source, found.cst), found.cst),
        { units, titles },
        { file: found.cst, warn: source.warn(found.cst) },
      )
    : [...units.values()];
  return {
    Title: collapse(courseValue(crs, 'course', 'course_title') ?? '').slice(0, maxLength) || null,
    Tree: {
      ...{ Units, Sequencing: null },
      ...{ ObjectivesGlobalToSystem: false, SharedDataGlobalToSystem: false },
    },
  };
}

function textOf({ bytes, warn }: Source, path: string): string {
  return decodeText(bytes.get(path) ?? new Uint8Array(), warn(path));
}

/** Titles of units and blocks, by their IDs in lower case. */
function titlesIn(source: Source): Map<string, string> {
  const { des } = source.found;
  if (des === null) return new Map();
  const table = tableIn(textOf(source, des), des);
  return new Map(
    table.rows.flatMap((row) => {
      const title = collapse(cellOf(table, row, 'title')).slice(0, maxLength);
      return title === '' ? [] : [[cellOf(table, row, 'system_id').toLowerCase(), title] as const];
    }),
  );
}

function unitsIn(source: Source, titles: ReadonlyMap<string, string>): Map<string, Unit> {
  const { au } = source.found;
  const table = tableIn(textOf(source, au), au);
  if (!table.positions.has('system_id'))
    throw invalid(
      au,
      1,
      'its header has no column "system_id", so it does not describe the units of a course',
    );
  if (table.rows.length > maxUnits) throw invalid(au, null, `there are more than ${maxUnits} units`);
  const units = new Map<string, Unit>();
  for (const row of table.rows) {
    const UnitID = cellOf(table, row, 'system_id');
    if (UnitID === '' || UnitID.length > maxLength)
      throw invalid(au, row.line, `the system_id "${UnitID.slice(0, 100)}" is missing or too long`);
    const key = UnitID.toLowerCase();
    if (units.has(key)) throw invalid(au, row.line, `the system_id "${UnitID.slice(0, 100)}" is used twice`);
    const unit = unitOf(source, { table, row }, { UnitID, Title: titles.get(key) ?? UnitID });
    if (unit) units.set(key, unit);
  }
  if (units.size === 0) throw invalid(au, null, 'no unit has a page to launch');
  return units;
}

type Cells = { table: Table; row: Row };

function unitOf(source: Source, { table, row }: Cells, named: Pick<Unit, 'UnitID' | 'Title'>): Unit | null {
  const warn = source.warn(source.found.au);
  const Href = hrefOf(source, { table, row }, named.UnitID);
  if (Href === null) return null;
  const MaxTimeAllowed = cellOf(table, row, 'max_time_allowed');
  return {
    ...{ ...noDetails, ...named, Href, Kind: 'au', Visible: true, Children: [] },
    MasteryScore: masteryScore(cellOf(table, row, 'mastery_score'), row.line, warn),
    // Authoring tools write 00:00:00 for "no limit".
    MaxTimeAllowed: parseSeconds(MaxTimeAllowed) > 0 ? MaxTimeAllowed.slice(0, maxLength) : null,
    TimeLimitAction: cellOf(table, row, 'time_limit_action').slice(0, maxLength) || null,
    DataFromLMS: cellOf(table, row, 'core_vendor').slice(0, 4_096) || null,
  };
}

/** `command_line` is meant for native programs, but some tools write the URL only there. */
function hrefOf({ found, files, warn }: Source, { table, row }: Cells, unitId: string): string | null {
  const address = cellOf(table, row, 'file_name', 'command_line');
  if (address === '') {
    warn(found.au)(
      'warning',
      `The unit "${unitId}" has no file_name, so it was left out`,
      row.line,
      'units without a page',
    );
    return null;
  }
  const parameters = cellOf(table, row, 'web_launch');
  const beside = resolveTarget([found.crs], address, parameters, files);
  const target = beside.kind === 'missing' ? resolveTarget([], address, parameters, files) : beside;
  if (target.kind === 'refused')
    throw invalid(found.au, row.line, `the file_name ${address.slice(0, 200)} ${target.why}`);
  if (target.kind !== 'missing') return target.href;
  warn(found.au)(
    'error',
    `The page ${target.path.slice(0, 200)} of the unit "${unitId}" is not in the package; learners who open it get an error page and cannot complete it`,
    row.line,
    'pages that are not in the package',
  );
  return target.href;
}

function masteryScore(text: string, line: number, warn: Warn): number | null {
  const score = parseNumber(text);
  if (text === '' || (score !== null && score >= 0 && score <= 100)) return text === '' ? null : score;
  warn(
    'warning',
    `The mastery score "${text.slice(0, 40)}" is not a number from 0 to 100, so the content alone decides who passes`,
    line,
    'unusable mastery scores',
  );
  return null;
}
