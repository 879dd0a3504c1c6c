import { SegmentedControl } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Import } from './import.tsx';
import { isSubject, subjects } from './subjects.ts';
import { WithUndo } from './with-undo.tsx';

export default function Bulk() {
  const t = useTranslations('bulk');
  const shell = useTranslations('shell');
  const { tenant } = useApi();
  const [{ of }, change] = useFilters(['of']);
  const subject = isSubject(of) ? of : 'users';
  return (
    <Page title={shell('pages.bulk')} text={t('text')}>
      {/* Choosing another tenant or another kind of row starts a new import. */}
      <WithUndo>
        <Import
          key={`${subject} ${tenant ?? ''}`}
          subject={subject}
          choice={
            <SegmentedControl
              aria-label={t('subject')}
              value={subject}
              onChange={(of) => change({ of })}
              data={subjects.map((value) => ({ value, label: t(`subjects.${value}`) }))}
            />
          }
        />
      </WithUndo>
    </Page>
  );
}
