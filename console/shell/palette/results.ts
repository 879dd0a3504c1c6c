import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { menuFor } from '../navigation.ts';
import { matches, type ResultGroup, splitVerb } from './result.ts';
import { useEnrolments } from './use-enrolments.ts';
import { useApiKeys, useEnteredKey, useKeysOfOrder } from './use-keys.ts';

const few = 5;

/** What people come to do. */
const actions = [
  { text: 'enrol', to: '/console/enrol', search: {}, isOperators: false },
  { text: 'enrolGroup', to: '/console/enrol', search: { from: 'group' }, isOperators: false },
  { text: 'import', to: '/console/enrol', search: { from: 'file' }, isOperators: false },
  { text: 'createUser', to: '/console/users', search: { create: 'true' }, isOperators: false },
  { text: 'createKey', to: '/console/api-keys', search: { create: 'true' }, isOperators: false },
  { text: 'extend', to: '/console/enrolments', search: { status: 'overdue' }, isOperators: false },
  { text: 'failed', to: '/console/enrolments', search: { status: 'failed' }, isOperators: false },
  { text: 'addCourse', to: '/console/courses', search: {}, isOperators: true },
] as const;

const verbs = ['enrol', 'edit', 'invite', 'disable', 'erase'] as const;
type Verb = (typeof verbs)[number];
const wordsOf = (read: (verb: Verb) => string) =>
  Object.fromEntries(verbs.map((verb) => [verb, read(verb)])) as Record<Verb, string>;

/** Results as they arrive: people and the enrolments of the first of them, courses, keys, tenants and pages. */
export function useResults(entered: string): { groups: ResultGroup[]; isFetching: boolean } {
  const t = useTranslations();
  const { Role } = useSession();
  const { $api, tenant } = useApi();
  const isOfTenant = Role === 'administrator' || tenant !== null;
  const enteredKey = useEnteredKey(entered, isOfTenant);
  const search = enteredKey.isKey ? '' : entered;
  const [verb, rest] = splitVerb(
    search,
    wordsOf((name) => t(`palette.verbs.${name}`)),
  );
  const isSearching = search !== '';
  const query = { Limit: few, Search: search };
  const named = { Limit: few, Search: rest };
  const users = $api.useQuery(
    'get',
    '/user',
    { params: { query: named } },
    { enabled: isSearching && isOfTenant },
  );
  const people = isSearching ? (users.data?.Items ?? []) : [];
  const enrolments = useEnrolments(rest, people);
  const ofOrder = useKeysOfOrder(search, isSearching && isOfTenant);
  const apiKeys = useApiKeys(search, isSearching && isOfTenant);
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
  const courses = !isSearching ? [] : ((isOfTenant ? offered : all).data?.Items ?? []);
  const found: ResultGroup[] = [
    {
      name: 'actions',
      results: (verb === null ? [] : people).map((user) => ({
        key: `${verb} ${user.LoginID}`,
        label: t(`palette.verbLabels.${verb ?? 'edit'}`, { name: nameOf(user) }),
        detail: user.LoginID,
        open: (navigate) =>
          verb === 'enrol'
            ? void navigate({ to: '/console/enrol', search: { login: user.LoginID } as never })
            : void navigate({
                to: '/console/users/$loginId',
                params: { loginId: user.LoginID },
                search: { do: verb } as never,
              }),
      })),
    },
    {
      name: 'users',
      results: people.map((user) => ({
        key: `user ${user.LoginID}`,
        label: nameOf(user),
        detail: [nameOf(user) === user.LoginID ? null : user.LoginID, user.Email, user.GroupName]
          .filter((text) => text !== null)
          .join(' · '),
        open: (navigate) =>
          void navigate({ to: '/console/users/$loginId', params: { loginId: user.LoginID }, search: {} }),
      })),
    },
    { name: 'enrolments', results: enrolments.results },
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
    { name: 'keys', results: [...enteredKey.results, ...ofOrder.results] },
    { name: 'apiKeys', results: apiKeys.results },
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
      name: 'actions',
      results: actions
        .filter(({ isOperators }) => (isOperators ? Role === 'operator' : isOfTenant))
        .map((action) => ({ ...action, label: t(`palette.actions.${action.text}`) }))
        .filter(
          ({ label, text }) =>
            isSearching &&
            !enteredKey.isKey &&
            matches(`${label} ${t(`palette.actionWords.${text}`)}`, search),
        )
        .map(({ text, label, to, search }) => ({
          key: `action ${text}`,
          label,
          open: (navigate) => void navigate({ to, search: search as never }),
        })),
    },
    {
      name: 'pages',
      // A page of one tenant asks an operator to choose the tenant.
      results: menuFor(Role, true)
        .flatMap(({ text, pages }) =>
          pages.map((page) => ({
            to: page.to,
            label: t(`shell.pages.${page.text}`),
            words: t.has(`palette.words.${page.text}` as 'palette.words.users')
              ? t(`palette.words.${page.text}` as 'palette.words.users')
              : '',
            ...(page.text === text ? {} : { detail: t(`shell.menu.${text}`) }),
          })),
        )
        .filter(
          ({ label, detail = '', words }) =>
            !enteredKey.isKey && matches(`${label} ${detail} ${words}`, search),
        )
        .map(({ to, words: _, ...shown }) => ({
          ...shown,
          key: `page ${to}`,
          open: (navigate) => void navigate({ to, search: {} }),
        })),
    },
  ];
  return {
    groups: found.filter(({ results }) => results.length > 0),
    isFetching: [users, enrolments, offered, all, enteredKey, ofOrder, apiKeys, tenants].some(
      ({ isFetching }) => isFetching,
    ),
  };
}
