import type { Evidence } from './types.ts';

export type UnitStatus = 'none' | 'incomplete' | 'completed' | 'passed' | 'failed';

export function statusOf(evidence: Pick<Evidence, 'Completion' | 'Success'> | undefined): UnitStatus {
  if (!evidence) return 'none';
  if (evidence.Success !== 'unknown') return evidence.Success;
  return evidence.Completion === 'unknown' ? 'none' : evidence.Completion;
}
