import type { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { navigationItemsFor } from '../navigation.ts';

type Navigate = ReturnType<typeof useNavigate>;

export type Result = {
  key: string;
  label: string;
  detail?: string;
  open: (navigate: Navigate) => void;
};
export type ResultGroup = {
  name: 'users' | 'enrolments' | 'courses' | 'tenants' | 'pages';
  results: Result[];
};

const few = 5;
const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether each word of the search begins a word of the text. */
function matches(text: string, search: string): boolean {
  const words = fold(text).split(/[^\p{L}\p{N}]+/u);
  const asked = fold(search)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return asked.every((begin) => words.some((word) => word.startsWith(begin)));
}

/** Results as they arrive: people, the first person's enrolments, courses, tenants and pages. */
export function useResults(search: string): { groups: ResultGroup[]; isFetching: boolean } {
  const t = useTranslations();
  const { Role } = useSession();
  const { $api, tenant } = useApi();
  const isSearching = search !== '';
  const isOfTenant = Role === 'administrator' || tenant !== null;
  const query = { Limit: few, Search: search };
  const users = $api.useQuery('get', '/user', { params: { query } }, { enabled: isSearching && isOfTenant });
  const [first] = users.data?.Items ?? [];
  const enrolments = $api.useQuery(
    'get',
    '/enrolment/{LoginID}',
    { params: { path: { LoginID: first?.LoginID ?? '' }, query: { Limit: few, Order: 'newest' } } },
    { enabled: isSearching && first !== undefined },
  );
  const offered = $api.useQuery(
    'get',
    '/catalogue/course',
    { params: { query } },
    { enabled: isSearching && isOfTenant },
  );
  const all = $api.useQuery('get', '/course', { params: { query } }, { enabled: isSearching && !isOfTenant });
  const tenants = $api.useQuery(
    'get',
    '/tenant',
    { params: { query } },
    { enabled: isSearching && Role === 'operator' },
  );
  const courses = (isOfTenant ? offered : all).data?.Items ?? [];
  const found: ResultGroup[] = [
    {
      name: 'users',
      results: (users.data?.Items ?? []).map((user) => ({
        key: `user ${user.LoginID}`,
        label: nameOf(user),
        detail: [nameOf(user) === user.LoginID ? null : user.LoginID, user.Email, user.GroupName]
          .filter((text) => text !== null)
          .join(' · '),
        open: (navigate) =>
          void navigate({ to: '/console/users/$loginId', params: { loginId: user.LoginID }, search: {} }),
      })),
    },
    {
      name: 'enrolments',
      results: (first ? (enrolments.data?.Items ?? []) : []).map(
        ({ LoginID, EnrollID, CourseTitle, Status }) => ({
          key: `enrolment ${EnrollID}`,
          label: CourseTitle,
          detail: `${first ? nameOf(first) : LoginID} · ${t(`statuses.${Status}`)}`,
          open: (navigate) =>
            void navigate({
              to: '/console/enrolments/$loginId/$enrollId',
              params: { loginId: LoginID, enrollId: EnrollID },
              search: {},
            }),
        }),
      ),
    },
    {
      name: 'courses',
      results: courses.map(({ CourseID, Title }) => ({
        key: `course ${CourseID}`,
        label: Title,
        detail: CourseID,
        open: (navigate) =>
          void navigate({ to: '/console/courses/$courseId', params: { courseId: CourseID }, search: {} }),
      })),
    },
    {
      name: 'tenants',
      results: (isSearching && Role === 'operator' ? (tenants.data?.Items ?? []) : []).map(
        ({ TenantID, Name }) => ({
          key: `tenant ${TenantID}`,
          label: Name,
          ...(Name === TenantID ? {} : { detail: TenantID }),
          open: (navigate) =>
            void navigate({ to: '/console/tenants/$tenantId', params: { tenantId: TenantID }, search: {} }),
        }),
      ),
    },
    {
      name: 'pages',
      results: navigationItemsFor(Role)
        .map(({ to, text }) => ({ to, label: t(`shell.pages.${text}`) }))
        .filter(({ label }) => matches(label, search))
        .map(({ to, label }) => ({
          key: `page ${to}`,
          label,
          open: (navigate) => void navigate({ to, search: {} }),
        })),
    },
  ];
  return {
    groups: found.filter(({ results }) => results.length > 0),
    isFetching: [users, enrolments, offered, all, tenants].some(({ isFetching }) => isFetching),
  };
}
