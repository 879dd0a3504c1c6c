import { partsOf } from './duration.ts';
import type { Option } from './values.tsx';

/** What each course created by an import gets. */
export type NewCourse = {
  option: Pick<Option, 'DurationID' | 'Name' | 'Duration' | 'StartsOn'> & { Status: 'published' };
  /** Null means all tenants. */
  Tenants: string[] | null;
};

/** What the operator chooses for new courses. */
export type NewCourseChoice = Pick<Option, 'Duration' | 'StartsOn'> & Pick<NewCourse, 'Tenants'>;

export const usualNewCourse: NewCourseChoice = { Duration: 'P1Y', StartsOn: 'enrolment', Tenants: null };

/** An ID for an option with this duration, in English in every language: clients use it. */
export function durationIdOf(duration: string | null): string {
  if (duration === null) return 'unlimited';
  const parts = partsOf(duration) ?? [];
  return parts.map(({ amount, unit }) => `${amount}-${unit}${amount === 1 ? '' : 's'}`).join('-');
}

/** `nameOf` gives the option's name for administrators and learners. */
export function newCourseOf(
  { Duration, StartsOn, Tenants }: NewCourseChoice,
  nameOf: (duration: string | null) => string,
): NewCourse {
  const DurationID = durationIdOf(Duration);
  return {
    option: { DurationID, Name: nameOf(Duration), Duration, StartsOn, Status: 'published' },
    Tenants,
  };
}

export const isValidChoice = ({ Duration }: NewCourseChoice): boolean =>
  Duration === null || partsOf(Duration) !== null;
