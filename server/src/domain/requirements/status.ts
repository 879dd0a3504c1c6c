export const obligationStatuses = [
  'not_due',
  'due_soon',
  'overdue',
  'met',
  'expiring',
  'expired',
  'exempt',
  'closed',
] as const;
export type ObligationStatus = (typeof obligationStatuses)[number];

type Dates = {
  due_at: Date;
  due_soon_at: Date;
  met_at: Date | null;
  valid_until: Date | null;
  expiring_at: Date | null;
  exempt_at: Date | null;
  exempt_until: Date | null;
  closed_at: Date | null;
};

/** Whether the last second of an exemption has passed. */
export const isExemptionOver = ({ exempt_until }: Pick<Dates, 'exempt_until'>, now: Date) =>
  exempt_until !== null && exempt_until < now;

/** The status is never stored: it follows from the dates. */
export function obligationStatusAt(row: Dates, now: Date): ObligationStatus {
  if (row.closed_at !== null) return 'closed';
  if (row.exempt_at !== null && !isExemptionOver(row, now)) return 'exempt';
  if (row.met_at === null) {
    if (row.due_at < now) return 'overdue';
    return row.due_soon_at <= now ? 'due_soon' : 'not_due';
  }
  if (row.valid_until !== null && row.valid_until < now) return 'expired';
  return row.expiring_at !== null && row.expiring_at <= now ? 'expiring' : 'met';
}

/** `obligationStatusAt` in SQL. */
export const obligationStatusSql = (row: string, now: string) => `(case
  when ${row}.closed_at is not null then 'closed'
  when ${row}.exempt_at is not null and (${row}.exempt_until is null or ${row}.exempt_until >= ${now}) then 'exempt'
  when ${row}.met_at is null then case when ${row}.due_at < ${now} then 'overdue'
    when ${row}.due_soon_at <= ${now} then 'due_soon' else 'not_due' end
  when ${row}.valid_until < ${now} then 'expired'
  when ${row}.expiring_at <= ${now} then 'expiring'
  else 'met' end)`;

/** SQL: the cycle that reports count. The one that follows counts only once the present one has been replaced. */
export const isPresent = (row: string) =>
  `not ${row}.follows and ${row}.left_at is null and ${row}.closed_at is null`;

/** SQL on `held`: required and not completed. */
export const isOpen = 'held.closed_at is null and held.exempt_at is null and held.met_at is null';
const isMet = 'held.closed_at is null and held.exempt_at is null and held.met_at is not null';

/** SQL on `held`: the status as ranges that the partial indexes of the open and of the met obligations have. */
export function hasStatusSql(status: ObligationStatus, now: () => string): string {
  const conditions: Record<ObligationStatus, () => string> = {
    overdue: () => `${isOpen} and held.due_at < ${now()}`,
    due_soon: () => `${isOpen} and held.due_at >= ${now()} and held.due_soon_at <= ${now()}`,
    not_due: () => `${isOpen} and held.due_at >= ${now()} and held.due_soon_at > ${now()}`,
    expired: () => `${isMet} and held.valid_until < ${now()}`,
    expiring: () => `${isMet} and held.valid_until >= ${now()} and held.expiring_at <= ${now()}`,
    met: () => `${isMet} and (held.valid_until is null or held.expiring_at > ${now()})`,
    exempt: () =>
      `held.closed_at is null and held.exempt_at is not null and (held.exempt_until is null or held.exempt_until >= ${now()})`,
    closed: () => 'held.closed_at is not null',
  };
  return conditions[status]();
}
