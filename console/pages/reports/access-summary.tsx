import { Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { AccessBar } from './access-bar.tsx';
import { type AccessLine, filterOf, measures } from './access-figures.ts';
import { Count } from './count.tsx';
import type { Scope } from './figures.ts';
import { SummaryBox } from './summary-box.tsx';

/** The totals of all lines, which are also the legend for the bars. */
export function AccessSummary({ line, scope }: { line: AccessLine; scope: Scope }) {
  const t = useTranslations('reports');
  const format = useFormatter();
  return (
    <SummaryBox>
      <Text component="p" m={0}>
        <span className="headline">{format.number(line.Overdue)}</span>{' '}
        {t('access.overdueOf', { overdue: line.Overdue, count: line.Overdue + line.Open })}
      </Text>
      <AccessBar line={line} />
      <dl className="legend">
        {measures.map((measure) => (
          <div key={measure}>
            <dt>
              <span className={`swatch ${measure}`} aria-hidden />
              {t(`access.measures.${measure}`)}
            </dt>
            <dd>
              <Count
                count={line[measure]}
                scope={scope}
                filter={filterOf(measure, line)}
                label={t(`access.measures.${measure}`)}
              />
            </dd>
          </div>
        ))}
      </dl>
    </SummaryBox>
  );
}
