import type { CourseTree, Objective, Sequencing, Unit } from '../../../../../standards/types.ts';
import { Problem } from '../../../platform/errors.ts';

/** The tree is parsed for every launch, so a larger one would delay other callers. */
const maxTreeLength = 2 * 1_048_576;

/** Far more than courses have. Each commit evaluates the rules of a group for each of its children. */
const most = {
  objectives: 500,
  rules: 200,
  /** Rollup rules of a group, counted once for each of its children. */
  rollups: 20_000,
  /** Conditions, each counted for every unit that can set the objective to which it refers. */
  sources: 20_000,
};

function tooMany(count: number, what: string, max: number): Problem {
  return new Problem(
    'package_too_large',
    `The course has ${count} ${what}, but the maximum is ${max}. Split the course.`,
  );
}

/** Rejects a course whose units and rules would take too long to evaluate. */
export function checkTree(tree: CourseTree): void {
  const { length } = JSON.stringify(tree);
  if (length > maxTreeLength)
    throw tooMany(length, 'characters of units and sequencing rules', maxTreeLength);
  const groups: Group[] = [{ Children: tree.Units, Sequencing: tree.Sequencing }, ...groupsIn(tree.Units)];
  for (const group of groups) checkGroup(group);
  const sources = sourcesIn(groups.flatMap(({ Sequencing }) => Sequencing ?? []));
  if (sources > most.sources)
    throw tooMany(sources, 'references from conditions to units that set an objective', most.sources);
}

type Group = Pick<Unit, 'Children' | 'Sequencing'>;

const groupsIn = (units: readonly Unit[]): Group[] =>
  units.flatMap((unit) => [unit, ...groupsIn(unit.Children)]);

function checkGroup({ Children, Sequencing }: Group): void {
  if (Sequencing === null) return;
  const { Objectives, Rules, RollupRules } = Sequencing;
  const rules = Rules.length + RollupRules.Rules.length;
  const conditions = RollupRules.Rules.reduce((sum, rule) => sum + rule.Conditions.length, 0);
  const rollups = conditions * Children.length;
  if (Objectives.length > most.objectives)
    throw tooMany(Objectives.length, 'objectives of one unit', most.objectives);
  if (rules > most.rules) throw tooMany(rules, 'rules of one unit', most.rules);
  if (rollups > most.rollups)
    throw tooMany(rollups, 'conditions for the results of a group, counted for each child', most.rollups);
}

const targetsOf = ({ Maps }: Objective) => Maps.map(({ TargetObjectiveID }) => TargetObjectiveID);

function sourcesIn(all: readonly Sequencing[]): number {
  const writers = new Map<string, number>();
  for (const { Objectives } of all)
    for (const id of new Set(Objectives.flatMap(targetsOf))) writers.set(id, (writers.get(id) ?? 0) + 1);
  let sum = 0;
  for (const { Objectives, Rules } of all) {
    const known = new Map(Objectives.map((objective) => [objective.ObjectiveID, objective]));
    const primary = Objectives.find(({ Primary }) => Primary);
    const sourcesOf = new Map<Objective, number>();
    for (const { Conditions } of Rules)
      for (const { ReferencedObjective } of Conditions) {
        const objective = known.get(ReferencedObjective) ?? primary;
        if (!objective) continue;
        const found =
          sourcesOf.get(objective) ??
          targetsOf(objective).reduce((count, id) => count + 1 + (writers.get(id) ?? 0), 0);
        sourcesOf.set(objective, found);
        sum += found;
      }
  }
  return sum;
}
