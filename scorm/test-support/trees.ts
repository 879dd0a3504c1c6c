import type { CourseTree, Objective, Sequencing, Unit } from '../../standards/types.ts';
import { noDetails } from '../../standards/unit-details.ts';
import { type Course, defaultSequencing, prepareCourse } from '../sequencing/course.ts';

type Part<Whole> = { [Key in keyof Whole]?: Whole[Key] extends object ? Partial<Whole[Key]> : Whole[Key] };

/** A sequencing definition with the given parts. Everything else has the standard's defaults. */
export function sequencingWith(parts: Partial<Sequencing> | Part<Sequencing>): Sequencing {
  const merged = Object.entries(defaultSequencing).map(([name, value]) => {
    const part = parts[name as keyof Sequencing];
    return [name, Array.isArray(value) ? (part ?? value) : { ...value, ...part }];
  });
  return Object.fromEntries(merged) as Sequencing;
}

export const flowing = sequencingWith({ ControlMode: { Flow: true } });

export function leaf(UnitID: string, sequencing?: Part<Sequencing>, more: Partial<Unit> = {}): Unit {
  return {
    ...noDetails,
    ...{ UnitID, Title: UnitID, Href: `${UnitID}.html`, Kind: 'sco', Visible: true, Children: [] },
    Sequencing: sequencing ? sequencingWith(sequencing) : null,
    ...more,
  };
}

export function group(
  UnitID: string,
  Children: Unit[],
  sequencing: Part<Sequencing> = { ControlMode: { Flow: true } },
  more: Partial<Unit> = {},
): Unit {
  return { ...leaf(UnitID, sequencing), Href: null, Kind: null, Children, ...more };
}

export function treeOf(
  Units: Unit[],
  sequencing: Part<Sequencing> = { ControlMode: { Flow: true } },
  more: Partial<CourseTree> = {},
): CourseTree {
  return {
    Identifier: 'root',
    Units,
    Sequencing: sequencingWith(sequencing),
    ObjectivesGlobalToSystem: true,
    SharedDataGlobalToSystem: true,
    ...more,
  };
}

export const courseOf = (...parameters: Parameters<typeof treeOf>): Course =>
  prepareCourse(treeOf(...parameters), 'Course');

/** A map in which only these flags are set. */
export function mapWith(TargetObjectiveID: string, flags: readonly string[]): Objective['Maps'][number] {
  const facts = ['SatisfiedStatus', 'NormalizedMeasure', 'RawScore', 'MinScore', 'MaxScore'];
  const names = [...facts, 'CompletionStatus', 'ProgressMeasure'].flatMap((fact) => [
    `Read${fact}`,
    `Write${fact}`,
  ]);
  const entries = names.map((name) => [name, flags.includes(name)]);
  return { TargetObjectiveID, ...Object.fromEntries(entries) } as Objective['Maps'][number];
}
