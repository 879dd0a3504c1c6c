import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { usePercent } from '../../parts/percent.ts';
import { Bar } from './bar.tsx';
import { Count } from './count.tsx';
import { endOfDays, figures, type Line, type Scope } from './figures.ts';
import { SummaryBox } from './summary-box.tsx';

/** The totals of all lines, which are also the legend for the bars. */
export function Summary({ line, scope, today }: { line: Line; scope: Scope; today: string }) {
  const t = useTranslations('reports');
  const percent = usePercent();
  const { CompletionRate, Completed, Enrolments, Withdrawn } = line;
  return (
    <SummaryBox>
      <Group justify="space-between" align="baseline" gap="xs">
        <Text component="p" m={0}>
          <span className="headline">{CompletionRate === null ? '–' : percent(CompletionRate)}</span>{' '}
          {t('completedOf', { completed: Completed, count: Enrolments - Withdrawn })}
        </Text>
        {scope && (
          <Group gap="md">
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/console/enrolments" search={{ ...scope, status: 'expired' } as never} {...props} />
              )}
            >
              {t('overdue')}
            </Anchor>
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  to="/console/enrolments"
                  search={{ ...scope, before: endOfDays(7, today) } as never}
                  {...props}
                />
              )}
            >
              {t('endingSoon')}
            </Anchor>
          </Group>
        )}
      </Group>
      <Bar line={line} />
      <dl className="legend">
        {figures.map(({ figure, status }) => (
          <div key={figure}>
            <dt>
              {figure !== 'Passed' && <span className={`swatch ${figure}`} aria-hidden />}
              {t(`figures.${figure}`)}
            </dt>
            <dd>
              <Count count={line[figure]} scope={scope} filter={{ status }} label={t(`figures.${figure}`)} />
            </dd>
          </div>
        ))}
      </dl>
    </SummaryBox>
  );
}
