import type { components } from '../../client/src/generated.ts';

type Schemas = components['schemas'];
export type Enrolment = Schemas['ListedEnrolment'];
export type Obligation = Schemas['Obligation'];
export type Certificate = Schemas['Certificate'];

/** What the learner sees as one course: the current enrolment, what requires it, or a requirement without enrolment. */
export type Item = {
  key: string;
  title: string;
  enrolment: Enrolment | null;
  obligation: Obligation | null;
  /** Nothing requires the course any more, because the learner has been exempted. */
  isExempt: boolean;
};

/**
 * Leaves out enrolments that a later one on the same course has replaced. The courses of a path are listed under the path,
 * except those that are also required on their own.
 */
function currentOf(all: readonly Enrolment[], present: readonly Obligation[]): Enrolment[] {
  const newest = new Map<string, Enrolment>();
  const required = new Set(present.map(({ EnrollID }) => EnrollID));
  for (const one of all) {
    if (one.PathEnrollID !== null && !required.has(one.EnrollID)) continue;
    const known = newest.get(one.CourseID);
    if (!known || known.EnrolledAt < one.EnrolledAt) newest.set(one.CourseID, one);
  }
  return [...newest.values()];
}

/** The newest cycle of each requirement that still concerns the learner. */
function presentOf(all: readonly Obligation[]): Obligation[] {
  const newest = new Map<string, Obligation>();
  for (const one of all) {
    if (one.Status === 'closed' || one.Status === 'exempt') continue;
    const known = newest.get(one.RequirementID);
    if (!known || known.Cycle < one.Cycle) newest.set(one.RequirementID, one);
  }
  return [...newest.values()];
}

const isMet = ({ Status }: Obligation) => Status === 'met' || Status === 'expiring';

/** An open obligation before a met one, then the one that is due first. */
const byDue = (one: Obligation, other: Obligation) =>
  Number(isMet(one)) - Number(isMet(other)) || (one.DueAt < other.DueAt ? -1 : 1);

export function itemsOf(enrolments: readonly Enrolment[], obligations: readonly Obligation[]): Item[] {
  const present = presentOf(obligations).sort(byDue);
  const current = currentOf(enrolments, present);
  const courseOf = new Map(enrolments.map(({ EnrollID, CourseID }) => [EnrollID, CourseID]));
  const courseOfObligation = ({ EnrollID }: Obligation) => courseOf.get(EnrollID ?? '');
  const statuses = new Map(obligations.map(({ EnrollID, Status }) => [EnrollID, Status]));
  const enrolled = current.map((enrolment) => ({
    key: enrolment.EnrollID,
    title: enrolment.CourseTitle,
    // The due date of an enrolment that was made for an obligation is that of the obligation, and ends with it.
    enrolment: statuses.has(enrolment.EnrollID) ? { ...enrolment, DueAt: null } : enrolment,
    obligation: present.find((one) => courseOfObligation(one) === enrolment.CourseID) ?? null,
    isExempt: statuses.get(enrolment.EnrollID) === 'exempt',
  }));
  const others = present
    .filter((one) => courseOfObligation(one) === undefined)
    .map((obligation) => ({
      key: obligation.RequirementID,
      title: obligation.Title,
      enrolment: null,
      obligation,
      isExempt: false,
    }));
  return [...enrolled, ...others];
}

export type Section = 'open' | 'done' | 'ended';

/** An obligation decides, because a completion can have expired, or come from elsewhere. */
export function sectionOf({ enrolment, obligation }: Item): Section {
  const isDone = enrolment?.Outcome === 'passed' || enrolment?.Outcome === 'completed';
  if (obligation) {
    const isOpen = enrolment && !isDone && !(obligation.External && enrolment.Outcome !== 'in_progress');
    return isMet(obligation) && !isOpen ? 'done' : 'open';
  }
  if (isDone) return 'done';
  return enrolment?.Status === 'expired' || enrolment?.Status === 'withdrawn' ? 'ended' : 'open';
}

/** When an open course has to be done: the earliest of the due dates; null without any. */
export function dueAt({ enrolment, obligation }: Item): string | null {
  const required = obligation && !isMet(obligation) ? obligation.DueAt : null;
  const dates = [required, enrolment?.DueAt ?? null].filter((at) => at !== null);
  return dates.sort()[0] ?? null;
}

/** The service says whether an obligation is overdue: its clock decides, not the device's. `now` is the time of the service. */
export function isOverdue(item: Item, now: number): boolean {
  const at = dueAt(item);
  const { obligation } = item;
  if (at === null) return false;
  return obligation?.DueAt === at ? obligation.Status === 'overdue' : Date.parse(at) < now;
}

const lastUsed = ({ enrolment }: Item) => enrolment?.LastAccessedAt ?? enrolment?.EnrolledAt ?? '';
const nextDate = (item: Item) => [dueAt(item) ?? '9', item.enrolment?.ExpiresAt ?? '9'].sort()[0] ?? '9';

/** What is due or ends first comes first, then what was used last. */
export function byUrgency(one: Item, other: Item): number {
  const [first, second] = [nextDate(one), nextDate(other)];
  if (first !== second) return first < second ? -1 : 1;
  return lastUsed(one) < lastUsed(other) ? 1 : -1;
}

export const byLastUse = (one: Item, other: Item) => (lastUsed(one) < lastUsed(other) ? 1 : -1);
