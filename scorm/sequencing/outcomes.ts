import type { Activity } from './course.ts';
import type { Reason, Refusal } from './requests.ts';

export type Refused = {
  kind: 'refused';
  refusal: Refusal;
  /** The chosen group, if nothing in it can be delivered. */
  undeliverable?: Activity;
};

/** The result of a sequencing request: an activity to deliver, the end of the session, or nothing. */
export type SequencingOutcome =
  | { kind: 'deliver'; activity: Activity }
  | { kind: 'ended' }
  | { kind: 'nothing' }
  | Refused;

export function refuse(
  code: string,
  reason: Reason,
  activity: Activity | null = null,
  rule: number | null = null,
): Refused {
  return { kind: 'refused', refusal: { code, reason, activity: activity?.id ?? null, rule } };
}
