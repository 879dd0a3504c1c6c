import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import type { Result, Results } from './result.ts';

type User = components['schemas']['User'];
type Enrolment = components['schemas']['ListedEnrolment'];

const isId = (text: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** The calls are separate, because the hook for several queries would enlarge the first screen's bundle by 800 bytes. */
function useNewest(user: User | undefined) {
  const { $api } = useApi();
  const query = { Limit: 3, Order: 'newest' } as const;
  return $api.useQuery(
    'get',
    '/enrolment/{LoginID}',
    { params: { path: { LoginID: user?.LoginID ?? '' }, query } },
    { enabled: user !== undefined },
  );
}

/** The newest enrolments of the first people found, and the one with this EnrollID. */
export function useEnrolments(search: string, users: readonly User[]): Results {
  const t = useTranslations('outcomes');
  const { $api } = useApi();
  const people = users.slice(0, 3);
  const ofPeople = [useNewest(people[0]), useNewest(people[1]), useNewest(people[2])];
  const byId = $api.useQuery(
    'get',
    '/enrolment',
    { params: { query: { EnrollID: search.toLowerCase() } } },
    { enabled: isId(search) },
  );
  const toResult = ({ LoginID, EnrollID, CourseTitle, Outcome, ...person }: Enrolment): Result => {
    return {
      key: `enrolment ${EnrollID}`,
      label: CourseTitle,
      detail: `${nameOf({ LoginID, ...person })} · ${t(Outcome)}`,
      open: (navigate) =>
        void navigate({
          to: '/console/enrolments/$loginId/$enrollId',
          params: { loginId: LoginID, enrollId: EnrollID },
          search: {},
        }),
    };
  };
  const found = [byId, ...ofPeople].flatMap(({ data, isEnabled }) => (isEnabled ? (data?.Items ?? []) : []));
  return {
    results: found.map(toResult),
    isFetching: [byId, ...ofPeople].some(({ isFetching }) => isFetching),
  };
}
