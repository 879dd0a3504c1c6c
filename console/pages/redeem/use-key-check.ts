import { useQuery } from '@tanstack/react-query';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';

type IfEnrolled = NonNullable<components['schemas']['KeyRedemption']['IfEnrolled']>;
type Checked = components['schemas']['CheckedEnrolmentKey'];

/**
 * What the key does for a course. `reopened` means that an ended enrolment continues, and `unchanged` that the learner
 * already has everything that the key grants.
 */
type Effect = 'new' | 'extended' | 'reopened' | 'unchanged';
type CheckedCourse = Checked['Courses'][number];
export type KeyCourse = CheckedCourse & { effect: Effect };

export type KeyOffer = {
  /** When this learner redeemed the key; null if it can be redeemed. */
  redeemedAt: string | null;
  courses: readonly KeyCourse[];
  ifEnrolled: IfEnrolled;
};

/** `course` is the enrolment after redeeming the key. `now` is the learner's open enrolment, if there is one. */
function effectOf(course: CheckedCourse, now: CheckedCourse | undefined): Effect {
  if (course.EnrollID === null) return 'new';
  if (!now || now.EnrollID === null) return 'reopened';
  return course.ExpiresAt === now.ExpiresAt ? 'unchanged' : 'extended';
}

/** If the learner already has some of the courses, the key extends them instead of failing. */
function offerOf(now: Checked, extended: Checked | null): KeyOffer {
  const courses = (extended ?? now).Courses.map((course, at) => ({
    ...course,
    effect: effectOf(course, now.Courses[at]),
  }));
  return { redeemedAt: now.RedeemedAt, courses, ifEnrolled: extended ? 'extend' : 'fail' };
}

/** What redeeming the key would do. Calls with unknown keys count as guesses, so they are never retried automatically. */
export function useKeyCheck(key: string) {
  const { client } = useApi();
  const { LoginID } = useSession();
  const check = async (ifEnrolled: IfEnrolled): Promise<Checked> => {
    const params = { path: { LoginID: LoginID ?? '', Key: key } };
    const { data, error, response } = await client.POST('/enrol/key/{LoginID}/{Key}/check', {
      params,
      body: { IfEnrolled: ifEnrolled },
    });
    if (data) return data;
    throw { ...error, retryAfter: Number(response.headers.get('retry-after')) };
  };
  return useQuery({
    queryKey: ['enrolment-key', key],
    enabled: key !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: async () => {
      const now = await check('return');
      const mayExtend = now.RedeemedAt === null && now.Courses.some(({ EnrollID }) => EnrollID !== null);
      return offerOf(now, mayExtend ? await check('extend') : null);
    },
  });
}

export type KeyCheck = ReturnType<typeof useKeyCheck>;
