import type { Unit } from '../types.ts';
import { noDetails } from '../unit-details.ts';
import type { Warn } from '../warnings.ts';
import { invalid } from '../xml.ts';
import type { Row, Table } from './tables.ts';

/** The maximum nesting depth of blocks. */
const maxDepth = 50;

/** The nodes that a structure may refer to, by their IDs in lower case. Each can be used only once. */
export type Nodes = { units: ReadonlyMap<string, Unit>; titles: ReadonlyMap<string, string> };

type Members = ReadonlyMap<string, { id: string; members: { id: string; line: number }[] }>;

/**
 * The tree of a `.cst` file. The members of a block are in the columns named `member` and in cells beyond the
 * header. A block may have several rows, and an AU may also have members.
 */
export function readStructure(
  table: Table,
  nodes: Nodes,
  { file, warn }: { file: string; warn: Warn },
): Unit[] {
  const blocks = membersOf(table);
  const used = new Set<string>();

  function place({ id, line }: { id: string; line: number }, depth: number): Unit[] {
    const key = id.toLowerCase();
    if (depth > maxDepth) throw invalid(file, line, `blocks are nested more than ${maxDepth} levels deep`);
    if (used.has(key)) {
      warn(
        'note',
        `"${id.slice(0, 100)}" is used twice; only its first occurrence counts`,
        line,
        'units used twice',
      );
      return [];
    }
    const unit = nodes.units.get(key);
    const block = blocks.get(key);
    if (!unit && !block) {
      warn(
        'warning',
        `The course has no unit or block "${id.slice(0, 100)}", so it was left out`,
        line,
        'members that do not exist',
      );
      return [];
    }
    used.add(key);
    const Children = block?.members.flatMap((member) => place(member, depth + 1)) ?? [];
    if (unit) return [{ ...unit, Children }];
    return Children.length === 0 ? [] : [groupOf(block?.id ?? id, nodes.titles.get(key), Children)];
  }

  const root = rootOf(blocks);
  if (root) used.add(root.id.toLowerCase());
  const tree = root?.members.flatMap((member) => place(member, 1)) ?? [];
  const left = [...nodes.units].filter(([key]) => !used.has(key)).map(([, unit]) => unit);
  if (left.length === 0) return tree;
  if (tree.length === 0) {
    warn(
      'note',
      'The structure contains no unit of the course, so the units are in the order of the AU file',
    );
    return left;
  }
  warn(
    'warning',
    `${left.length === 1 ? 'One unit is' : `${left.length} units are`} not in the structure, so learners do not see ${left.length === 1 ? 'it' : 'them'}: ${left
      .slice(0, 5)
      .map(({ UnitID }) => UnitID.slice(0, 100))
      .join(', ')}`,
  );
  return tree;
}

function membersOf({ columns, rows }: Table): Members {
  const blocks = new Map<string, { id: string; members: { id: string; line: number }[] }>();
  const own = columns.indexOf('block');
  const isMember = (at: number) => at !== own && (/^member/.test(columns[at] ?? 'member') || own < 0);
  for (const row of rows) {
    const id = row.cells[Math.max(own, 0)]?.trim() ?? '';
    if (id === '') continue;
    const block = blocks.get(id.toLowerCase()) ?? { id, members: [] };
    blocks.set(id.toLowerCase(), block);
    for (const member of membersIn(row, isMember, Math.max(own, 0))) block.members.push(member);
  }
  return blocks;
}

function membersIn({ cells, line }: Row, isMember: (at: number) => boolean, own: number) {
  return cells.flatMap((cell, at) => {
    const id = cell.trim();
    return at !== own && isMember(at) && id !== '' ? [{ id, line }] : [];
  });
}

/** The block named `root` or, if there is none, the first block that is not a member of another block. */
function rootOf(blocks: Members) {
  const named = blocks.get('root');
  if (named) return named;
  const members = new Set(
    [...blocks.values()].flatMap((block) => block.members.map(({ id }) => id.toLowerCase())),
  );
  return [...blocks].find(([key]) => !members.has(key))?.[1] ?? null;
}

function groupOf(UnitID: string, title: string | undefined, Children: Unit[]): Unit {
  return { ...noDetails, UnitID, Title: title || UnitID, Href: null, Kind: null, Visible: true, Children };
}
