import { type AuRecord, dataOf, nothingReported, recordOf } from './cmi5/satisfaction.ts';
import type { CourseTree, RunTimeData } from './types.ts';
import { noDetails } from './unit-details.ts';

export const toolUnitId = 'tool';

/** The tree of a course that is an LTI tool. Its URL depends on the launch. */
export function toolTree(Title: string): CourseTree {
  const unit = { ...noDetails, UnitID: toolUnitId, Title, Href: '', Kind: 'au' as const };
  return {
    Units: [{ ...unit, Visible: true, Children: [] }],
    Sequencing: null,
    ObjectivesGlobalToSystem: false,
    SharedDataGlobalToSystem: false,
  };
}

/** A score of a tool (AGS 2.0, 3.4). `scaled` is between 0 and 1, and null if there is no final grade. */
export type ToolScore = {
  timestamp: string;
  isCompleted: boolean;
  scaled: number | null;
};

const timestampElement = 'lti.timestamp';

/** When the tool made its last score; null if there is none. */
export const lastTimestamp = (data: RunTimeData): string | null => data[timestampElement] ?? null;

/** The unit's data after a score. Whether it passes depends on `passingScore` (0–100); null: the course has no pass mark. */
export function dataAfterScore(
  data: RunTimeData,
  { timestamp, isCompleted, scaled }: ToolScore,
  passingScore: number | null,
): RunTimeData {
  const before = recordOf(data);
  const isPassed = scaled !== null && passingScore !== null ? scaled * 100 >= passingScore : null;
  const record: AuRecord = {
    ...nothingReported,
    ...before,
    ...(isCompleted && { completed: before.completed ?? timestamp }),
    ...(scaled !== null && { score: scaled }),
    ...(isPassed === true && { passed: before.passed ?? timestamp }),
    ...(isPassed === false && { failed: timestamp }),
  };
  return { ...dataOf(record), [timestampElement]: timestamp };
}
