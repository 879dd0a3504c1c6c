import type { NewAudit } from '../audit/actions.ts';
import { overrideOf } from './effective-result.ts';
import type { EnrolmentWithNames } from './record.ts';

/**
 * Returns the audit entries for an administrator's changes to an enrolment. They omit the reason
 * for an override: it is free text, so only the enrolment stores it.
 */
export function auditsOf(
  before: EnrolmentWithNames,
  after: EnrolmentWithNames,
  differs: readonly string[],
  eventId: string,
): NewAudit[] {
  const about = { targetId: after.enroll_id, eventId };
  const entries: NewAudit[] = [];
  if (before.status !== 'withdrawn' && after.status === 'withdrawn')
    entries.push({ action: 'enrolment.withdrawn', data: {}, ...about });
  if (before.status === 'withdrawn' && after.status !== 'withdrawn')
    entries.push({ action: 'enrolment.reinstated', data: {}, ...about });
  if (differs.includes('Override'))
    entries.push({ action: 'enrolment.overridden', data: overrideData(after), ...about });
  if (differs.includes('ExpiresAt')) {
    const data = { From: textOf(before.expires_at), To: textOf(after.expires_at) };
    entries.push({ action: 'enrolment.end_changed', data, ...about });
  }
  const Changed = differs.filter((name) => ['Reference', 'Metadata', 'Attempts'].includes(name));
  if (Changed.length > 0) entries.push({ action: 'enrolment.details_changed', data: { Changed }, ...about });
  return entries;
}

const textOf = (instant: Date | null) => instant?.toISOString() ?? null;

function overrideData(after: EnrolmentWithNames) {
  const override = overrideOf(after);
  if (override === null) return { Removed: true };
  const { Reason: _, At: __, ...result } = override;
  return result;
}
