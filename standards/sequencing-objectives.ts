import { clamp, parseBoolean, parseNumber } from './numbers.ts';
import type { Objective } from './types.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from './xml.ts';

type ObjectiveMap = Objective['Maps'][number];

const silentMap: Omit<ObjectiveMap, 'TargetObjectiveID'> = {
  ReadSatisfiedStatus: false,
  WriteSatisfiedStatus: false,
  ReadNormalizedMeasure: false,
  WriteNormalizedMeasure: false,
  ReadRawScore: false,
  WriteRawScore: false,
  ReadMinScore: false,
  WriteMinScore: false,
  ReadMaxScore: false,
  WriteMaxScore: false,
  ReadCompletionStatus: false,
  WriteCompletionStatus: false,
  ReadProgressMeasure: false,
  WriteProgressMeasure: false,
};
type Flag = keyof typeof silentMap;

const satisfaction: Flag[] = [
  'ReadSatisfiedStatus',
  'WriteSatisfiedStatus',
  'ReadNormalizedMeasure',
  'WriteNormalizedMeasure',
];
const isFlag = (name: string): name is Flag => name in silentMap;
const results: Flag[] = Object.keys(silentMap)
  .filter(isFlag)
  .filter((flag) => !satisfaction.includes(flag));

/**
 * Reads the objectives. The 4th edition's additional maps (`adlseq:objectives`) are merged into the maps with
 * the same target.
 */
export function readObjectives(
  element: XmlElement | null,
  extension: XmlElement | null,
  warn: Warn,
): Objective[] {
  const primary = childrenOf(element, 'primaryObjective').slice(0, 1);
  const objectives = [
    ...primary.map((node) => readObjective(node, true)),
    ...childrenOf(element, 'objective').map((node) => readObjective(node, false)),
  ];
  for (const node of childrenOf(extension, 'objective')) {
    const id = attributeOf(node, 'objectiveID')?.trim() || null;
    const objective = objectives.find(({ ObjectiveID }) => ObjectiveID === id);
    if (objective) addMaps(objective, childrenOf(node, 'mapInfo'), results);
    else {
      const effect = 'results are not passed on to other units that should see them';
      warn(
        'warning',
        `The objective "${id ?? ''}" has maps but is not declared; ${effect}`,
        node.line,
        'maps of undeclared objectives',
      );
    }
  }
  return objectives;
}

function readObjective(node: XmlElement, Primary: boolean): Objective {
  const objective: Objective = {
    ObjectiveID: attributeOf(node, 'objectiveID')?.trim() || null,
    Primary,
    SatisfiedByMeasure: parseBoolean(attributeOf(node, 'satisfiedByMeasure'), false),
    MinNormalizedMeasure: clamp(parseNumber(textOf(node, 'minNormalizedMeasure')) ?? 1, -1, 1),
    Maps: [],
  };
  addMaps(objective, childrenOf(node, 'mapInfo'), satisfaction);
  return objective;
}

/** By default, a `mapInfo` reads but does not write. */
function addMaps(objective: Objective, nodes: XmlElement[], flags: Flag[]): void {
  for (const node of nodes) {
    const TargetObjectiveID = attributeOf(node, 'targetObjectiveID')?.trim();
    if (!TargetObjectiveID) continue;
    let map = objective.Maps.find((known) => known.TargetObjectiveID === TargetObjectiveID);
    if (!map) {
      map = { TargetObjectiveID, ...silentMap };
      objective.Maps.push(map);
    }
    for (const flag of flags) map[flag] = parseBoolean(attributeOf(node, flag), flag.startsWith('Read'));
  }
}
