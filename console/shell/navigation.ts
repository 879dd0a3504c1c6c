import {
  IconBook2,
  IconBuilding,
  IconBuildingCommunity,
  IconCertificate,
  IconChartArea,
  IconChecklist,
  IconGauge,
  IconHistory,
  IconPlugConnected,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import type { Session } from '../api/session.tsx';

type Role = Session['Role'];

/**
 * The menu. Each item has one page, or several that are shown as tabs. Pages that show one tenant's data are for
 * operators only once they have chosen a tenant.
 */
export const navigationItems = [
  {
    text: 'overview',
    icon: IconGauge,
    pages: [{ to: '/console', text: 'overview', isForLearners: true, ofTenant: false }],
  },
  {
    text: 'users',
    icon: IconUsers,
    pages: [
      { to: '/console/users', text: 'users', ofTenant: true },
      { to: '/console/invitations', text: 'invitations', ofTenant: true },
      { to: '/console/invitations/mails', text: 'mails', ofTenant: true },
      { to: '/console/holds', text: 'holds', ofTenant: true },
    ],
  },
  {
    text: 'courses',
    icon: IconBook2,
    pages: [{ to: '/console/courses', text: 'courses', ofTenant: false }],
  },
  {
    text: 'enrol',
    icon: IconUserPlus,
    pages: [
      { to: '/console/enrol', text: 'enrol', ofTenant: true },
      { to: '/console/keys', text: 'keys', ofTenant: true },
    ],
  },
  {
    text: 'enrolments',
    icon: IconCertificate,
    pages: [
      { to: '/console/enrolments', text: 'enrolments', ofTenant: true },
      { to: '/console/certificates', text: 'certificates', ofTenant: true },
    ],
  },
  {
    text: 'requirements',
    icon: IconChecklist,
    pages: [
      { to: '/console/requirements', text: 'requirements', ofTenant: true },
      { to: '/console/requirements/people', text: 'requiredPeople', ofTenant: true },
    ],
  },
  {
    text: 'reports',
    icon: IconChartArea,
    pages: [
      { to: '/console/reports', text: 'completion', ofTenant: true },
      { to: '/console/reports/compliance', text: 'compliance', ofTenant: true },
      { to: '/console/reports/access', text: 'access', ofTenant: true },
      { to: '/console/reports/completed', text: 'completed', ofTenant: true },
      { to: '/console/reports/activity', text: 'activity', ofTenant: true },
      { to: '/console/reports/schedules', text: 'schedules', ofTenant: true },
    ],
  },
  {
    text: 'log',
    icon: IconHistory,
    pages: [
      { to: '/console/events', text: 'events', ofTenant: true },
      { to: '/console/audit', text: 'audit', ofTenant: false },
      { to: '/console/statements', text: 'statements', ofTenant: true },
    ],
  },
  {
    text: 'connections',
    icon: IconPlugConnected,
    pages: [
      { to: '/console/api-keys', text: 'apiKeys', ofTenant: true },
      { to: '/console/webhooks', text: 'webhooks', ofTenant: true },
      { to: '/console/connections', text: 'platforms', ofTenant: true },
      { to: '/docs', text: 'reference', ofTenant: false },
    ],
  },
  {
    text: 'organisation',
    icon: IconBuildingCommunity,
    pages: [
      { to: '/console/settings', text: 'settings', ofTenant: true },
      { to: '/console/branding', text: 'branding', ofTenant: true },
      { to: '/console/single-sign-on', text: 'singleSignOn', ofTenant: true },
      { to: '/console/security', text: 'security', ofTenant: false },
    ],
  },
  {
    text: 'tenants',
    icon: IconBuilding,
    pages: [{ to: '/console/tenants', text: 'tenants', isForOperators: true, ofTenant: false }],
  },
] as const satisfies readonly {
  text: string;
  icon: unknown;
  pages: readonly {
    to: string;
    text: string;
    ofTenant: boolean;
    isForLearners?: true;
    isForOperators?: true;
  }[];
}[];

export type NavigationItem = (typeof navigationItems)[number];
export type NavigationPage = NavigationItem['pages'][number];

const allPages: readonly NavigationPage[] = navigationItems.flatMap(({ pages }) => [...pages]);

/** The page of the menu that a URL belongs to, which is the one with the longest matching prefix. */
export function navigationPageOf(pathname: string): NavigationPage | undefined {
  const path = pathname.replace(/\/$/, '');
  const fits = ({ to }: NavigationPage) => path === to || (to !== '/console' && path.startsWith(`${to}/`));
  return allPages.filter(fits).sort((a, b) => b.to.length - a.to.length)[0];
}

export function needsTenant(pathname: string): boolean {
  return navigationPageOf(pathname)?.ofTenant ?? false;
}

export function isForRole(page: NavigationPage, role: Role): boolean {
  if (role === 'learner') return 'isForLearners' in page;
  return role === 'operator' || !('isForOperators' in page);
}

/** The menu of a user, with the pages that the user can open now. */
export function menuFor(role: Role, hasTenant: boolean) {
  return navigationItems
    .map(({ text, icon, pages }) => ({
      text,
      icon,
      pages: (pages as readonly NavigationPage[]).filter(
        (page) => isForRole(page, role) && (hasTenant || !page.ofTenant),
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}
