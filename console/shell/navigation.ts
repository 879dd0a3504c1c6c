import {
  IconApi,
  IconBook2,
  IconBuilding,
  IconCertificate,
  IconChartArea,
  IconCode,
  IconGauge,
  IconHistory,
  IconKey,
  IconListDetails,
  IconMailForward,
  IconMessage2,
  IconPalette,
  IconTableImport,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { Session } from '../api/session.tsx';

type Role = Session['Role'];
export type Section = 'learning' | 'connect' | 'deployment';

/** Every section of the console, with the roles that may open it and whether it shows one tenant's data. */
export const navigationItems = [
  {
    to: '/console',
    text: 'overview',
    icon: IconGauge,
    section: 'learning',
    roles: ['operator', 'administrator', 'learner'],
    ofTenant: false,
  },
  {
    to: '/console/enrolments',
    text: 'enrolments',
    icon: IconCertificate,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/reports',
    text: 'reports',
    icon: IconChartArea,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/users',
    text: 'users',
    icon: IconUsers,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/invitations',
    text: 'invitations',
    icon: IconMailForward,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/courses',
    text: 'courses',
    icon: IconBook2,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: false,
  },
  {
    to: '/console/keys',
    text: 'keys',
    icon: IconKey,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/bulk',
    text: 'bulk',
    icon: IconTableImport,
    section: 'learning',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/events',
    text: 'events',
    icon: IconListDetails,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/statements',
    text: 'statements',
    icon: IconMessage2,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/webhooks',
    text: 'webhooks',
    icon: IconWebhook,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/api-keys',
    text: 'apiKeys',
    icon: IconApi,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/branding',
    text: 'branding',
    icon: IconPalette,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/settings',
    text: 'settings',
    icon: IconMailForward,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: true,
  },
  {
    to: '/console/audit',
    text: 'audit',
    icon: IconHistory,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: false,
  },
  {
    to: '/docs',
    text: 'reference',
    icon: IconCode,
    section: 'connect',
    roles: ['operator', 'administrator'],
    ofTenant: false,
  },
  {
    to: '/console/tenants',
    text: 'tenants',
    icon: IconBuilding,
    section: 'deployment',
    roles: ['operator'],
    ofTenant: false,
  },
] as const satisfies readonly {
  to: string;
  text: string;
  icon: unknown;
  section: Section;
  roles: readonly Role[];
  ofTenant: boolean;
}[];

export type NavigationItem = (typeof navigationItems)[number];

/** The section that a URL belongs to, which is the one with the longest matching prefix. */
export function navigationItemOf(pathname: string): NavigationItem | undefined {
  const path = pathname.replace(/\/$/, '');
  const fits = ({ to }: NavigationItem) => path === to || (to !== '/console' && path.startsWith(`${to}/`));
  return navigationItems.filter(fits).sort((a, b) => b.to.length - a.to.length)[0];
}

export function needsTenant(pathname: string): boolean {
  return navigationItemOf(pathname)?.ofTenant ?? false;
}

export function navigationItemsFor(role: Role): readonly NavigationItem[] {
  return navigationItems.filter(({ roles }) => roles.some((one) => one === role));
}
