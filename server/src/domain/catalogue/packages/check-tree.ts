import { plainIdentifier, positionsOf, withPlainIdentifiers } from '../../../../../standards/objectives.ts';
import { unitsNamedIn } from '../../../../../standards/prerequisites.ts';
import type { CourseTree, Objective, Sequencing, Unit } from '../../../../../standards/types.ts';
import { nodesIn } from '../../../../../standards/unit-status.ts';
import { Problem } from '../../../lib/errors.ts';

/** The tree is parsed for every launch, so a larger tree would delay other callers. */
const maxTreeLength = 2 * 1_048_576;

/** Far more than any real course has. Each commit evaluates the rules of a group for each of its children. */
const most = {
  objectives: 500,
  rules: 200,
  /** Conditions of rollup rules, each counted once for each child of its group. */
  rollups: 20_000,
  /** Conditions of rules and prerequisites, each counted once more for every unit that it refers to. */
  conditions: 20_000,
  /**
   * Conditions of rules, each counted once for every unit below them, because they may prevent
   * these units from opening.
   */
  evaluated: 100_000,
  /** Characters in the titles of units that conditions refer to, because descriptions of rules contain them. */
  mentioned: 1_000_000,
};

function tooMany(count: number, what: string, max: number): Problem {
  return new Problem(
    'package_too_large',
    `The course has ${count} ${what}, but the maximum is ${max}. Split the course.`,
  );
}

/** Rejects a course whose units and rules would take too long to evaluate or describe. */
export function checkTree(tree: CourseTree): void {
  const { length } = JSON.stringify(tree);
  if (length > maxTreeLength)
    throw tooMany(length, 'characters of units and sequencing rules', maxTreeLength);
  const units = [...nodesIn(tree.Units).values()];
  const groups: Group[] = [{ Title: '', Children: tree.Units, Sequencing: tree.Sequencing }, ...units];
  for (const { Sequencing } of groups) if (Sequencing) checkRules(Sequencing);
  const rollups = groups.reduce((sum, group) => sum + rollupsOf(group), 0);
  if (rollups > most.rollups)
    throw tooMany(rollups, 'conditions for the results of groups, counted once for each child', most.rollups);
  const evaluated = groups.reduce((sum, group) => sum + evaluatedOf(group), 0);
  if (evaluated > most.evaluated)
    throw tooMany(evaluated, 'conditions of rules, counted once for each unit below', most.evaluated);
  const references = add(referencesOfRules(groups), referencesOfPrerequisites(units));
  if (references.count > most.conditions)
    throw tooMany(
      references.count,
      'conditions of rules and units that the conditions refer to',
      most.conditions,
    );
  if (references.characters > most.mentioned)
    throw tooMany(references.characters, 'characters of titles in its rules', most.mentioned);
}

type Group = Pick<Unit, 'Title' | 'Children' | 'Sequencing'>;

function checkRules({ Objectives, Rules, RollupRules }: Sequencing): void {
  const rules = Rules.length + RollupRules.Rules.length;
  if (Objectives.length > most.objectives)
    throw tooMany(Objectives.length, 'objectives of one unit', most.objectives);
  if (rules > most.rules) throw tooMany(rules, 'rules of one unit', most.rules);
}

const rollupsOf = ({ Children, Sequencing }: Group) =>
  Children.length *
  (Sequencing?.RollupRules.Rules ?? []).reduce((sum, rule) => sum + rule.Conditions.length, 0);

const evaluatedOf = ({ Children, Sequencing }: Group) =>
  (1 + nodesIn(Children).size) *
  (Sequencing?.Rules ?? []).reduce((sum, rule) => sum + rule.Conditions.length, 0);

/** The number of units that conditions refer to, and the total length of the units' titles. */
type References = { count: number; characters: number };
const none: References = { count: 0, characters: 0 };
const add = (one: References, other: References): References => ({
  count: one.count + other.count,
  characters: one.characters + other.characters,
});

const targetsOf = ({ Maps }: Objective) => Maps.map(({ TargetObjectiveID }) => TargetObjectiveID);

/** Compares identifiers in the same way as scorm/sequencing. */
function referencesOfRules(groups: readonly Group[]): References {
  const prepared = groups.map(({ Title, Sequencing }) => ({
    Title,
    Rules: Sequencing?.Rules ?? [],
    Objectives: (Sequencing?.Objectives ?? []).map(withPlainIdentifiers),
  }));
  const writers = new Map<string, References>();
  for (const { Title, Objectives } of prepared)
    for (const id of new Set(Objectives.flatMap(targetsOf)))
      writers.set(id, add(writers.get(id) ?? none, { count: 1, characters: Title.length }));
  let sum = none;
  for (const { Objectives, Rules } of prepared) {
    const positions = positionsOf(Objectives);
    const primary = Objectives.find(({ Primary }) => Primary);
    const referencesOf = new Map<Objective, References>();
    for (const { Conditions } of Rules)
      for (const { ReferencedObjective } of Conditions) {
        sum = add(sum, { count: 1, characters: 0 });
        const position = ReferencedObjective && positions.get(plainIdentifier(ReferencedObjective));
        const objective = (typeof position === 'number' && Objectives[position]) || primary;
        if (!objective) continue;
        const found =
          referencesOf.get(objective) ??
          targetsOf(objective).reduce((total, id) => add(total, writers.get(id) ?? none), none);
        referencesOf.set(objective, found);
        sum = add(sum, found);
      }
  }
  return sum;
}

function referencesOfPrerequisites(units: readonly Unit[]): References {
  const titles = new Map(units.map(({ UnitID, Title }) => [UnitID, Title]));
  const named = units.flatMap(({ Prerequisites }) =>
    Prerequisites === null ? [] : unitsNamedIn(Prerequisites, /[&|]/),
  );
  const characters = named.reduce((sum, unitID) => sum + (titles.get(unitID)?.length ?? 0), 0);
  return { count: named.length, characters };
}
