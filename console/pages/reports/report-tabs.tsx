import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

const tabs = [
  { to: '/console/reports', text: 'completion' },
  { to: '/console/reports/access', text: 'access' },
  { to: '/console/reports/activity', text: 'activity' },
  { to: '/console/reports/schedules', text: 'schedules' },
] as const;

/** Links to the other pages with reports. */
export function ReportTabs() {
  const t = useTranslations('reports.tabs');
  return (
    <nav aria-label={t('label')} className="report-tabs">
      {tabs.map(({ to, text }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {t(text)}
        </Link>
      ))}
    </nav>
  );
}
