import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

/** The frame of a report's totals. It is low, so that fourteen lines fit below it. */
export function SummaryBox({ children }: { children: ReactNode }) {
  const t = useTranslations('reports');
  return (
    <Paper
      withBorder
      px="md"
      py="xs"
      component="section"
      aria-label={t('summary')}
      className="report-summary"
    >
      {children}
    </Paper>
  );
}
