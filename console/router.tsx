import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { PageTexts, preloadPageTexts } from './shell/intl.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Root } from './shell/root.tsx';
import type { Search } from './url-state.ts';

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
  search: { middlewares: [retainSearchParams(['tenant'])] },
});

type LoadPage = () => Promise<{ default: () => React.ReactNode }>;

const first = <Path extends string>(path: Path, load: LoadPage) =>
  createRoute({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(load) });

const at = <Path extends string>(path: Path, load: LoadPage) =>
  first(path, async () => {
    const [{ default: Shown }] = await Promise.all([load(), preloadPageTexts()]);
    return {
      default: () => (
        <PageTexts>
          <Shown />
        </PageTexts>
      ),
    };
  });

const routeTree = rootRoute.addChildren([
  first('/console', () => import('./pages/home.tsx')),
  at('/console/courses', () => import('./pages/courses/courses.tsx')),
  at('/console/courses/$courseId', () => import('./pages/courses/course.tsx')),
  at('/console/users', () => import('./pages/users/users.tsx')),
  at('/console/users/$loginId', () => import('./pages/users/user.tsx')),
  at('/console/users/$loginId/record', () => import('./pages/records/record.tsx')),
  at('/console/enrol', () => import('./pages/enrol/enrol.tsx')),
  at('/console/enrolments', () => import('./pages/enrolments/enrolments.tsx')),
  at('/console/enrolments/$loginId/$enrollId', () => import('./pages/enrolments/enrolment.tsx')),
  at('/console/reports', () => import('./pages/reports/reports.tsx')),
  at('/console/reports/compliance', () => import('./pages/reports/compliance.tsx')),
  at('/console/reports/access', () => import('./pages/reports/access.tsx')),
  at('/console/reports/activity', () => import('./pages/reports/activity.tsx')),
  at('/console/reports/completed', () => import('./pages/records/completed.tsx')),
  at('/console/reports/schedules', () => import('./pages/reports/schedules.tsx')),
  at('/console/certificates', () => import('./pages/certificates/certificates.tsx')),
  at('/console/requirements', () => import('./pages/requirements/requirements.tsx')),
  at('/console/requirements/people', () => import('./pages/requirements/people.tsx')),
  at('/console/requirements/edit', () => import('./pages/requirements/edit.tsx')),
  at('/console/holds', () => import('./pages/holds/holds.tsx')),
  at('/console/keys', () => import('./pages/keys/keys.tsx')),
  at('/console/team', () => import('./pages/team/team.tsx')),
  at('/console/team/$loginId', () => import('./pages/team/member.tsx')),
  at('/console/redeem', () => import('./pages/redeem/redeem.tsx')),
  at('/console/api-keys', () => import('./pages/api-keys/api-keys.tsx')),
  at('/console/settings', () => import('./pages/settings/settings.tsx')),
  at('/console/connections', () => import('./pages/connections/connections.tsx')),
  at('/console/single-sign-on', () => import('./pages/single-sign-on/single-sign-on.tsx')),
  at('/console/branding', () => import('./pages/branding/branding.tsx')),
  at('/console/events', () => import('./pages/events/events.tsx')),
  at('/console/statements', () => import('./pages/statements/statements.tsx')),
  at('/console/audit', () => import('./pages/audit/audit.tsx')),
  at('/console/webhooks', () => import('./pages/webhooks/webhooks.tsx')),
  at('/console/webhooks/$webhookId', () => import('./pages/webhooks/webhook.tsx')),
  at('/console/tenants', () => import('./pages/tenants/tenants.tsx')),
  at('/console/tenants/$tenantId', () => import('./pages/tenants/tenant.tsx')),
  at('/console/invitations', () => import('./pages/invitations/invitations.tsx')),
  at('/console/invitations/mails', () => import('./pages/invitations/mails.tsx')),
  at('/console/security', () => import('./pages/security/security.tsx')),
  at('/console/password', () => import('./pages/password/password.tsx')),
  at('/console/invitation', () => import('./pages/invitation/invitation.tsx')),
  at('/console/forgot', () => import('./pages/password/forgot.tsx')),
  at('/console/reset', () => import('./pages/password/reset.tsx')),
  first('/docs', () => import('./pages/reference/reference.tsx')),
]);

export const router = createRouter({
  routeTree,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given as [string, string][]).toString();
    return text && `?${text}`;
  },
  defaultPreload: 'intent',
  trailingSlash: 'preserve',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
