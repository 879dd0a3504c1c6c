import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import { DownloadButton } from '../../parts/download.tsx';
import { FilteredList, useListFilters, useListRows } from '../../parts/filtered-list.tsx';
import { Page } from '../../parts/page.tsx';
import { PrintButton } from '../../parts/report-table.tsx';
import { Message } from '../../parts/states.tsx';
import { useUser } from '../users/person.tsx';
import { keyOf, type TrainingRecord, useRecordColumns } from './columns.tsx';
import { CompletionDialog } from './completion-dialog.tsx';

/** Everything that a person has done or is doing, here and elsewhere, on screen, as a file and on paper. */
export default function OneRecord() {
  const { loginId } = useParams({ from: '/console/users/$loginId/record' });
  const t = useTranslations('records');
  const list = useTranslations('list');
  const { data: user } = useUser(loginId);
  const [isOpen, setOpen] = useState(false);
  const name = user ? nameOf(user) : loginId;
  const rows = useListRows<TrainingRecord>({
    path: `/report/record/${encodeURIComponent(loginId)}`,
    at: useListFilters([]),
    counts: false,
    rowKey: keyOf,
  });
  return (
    <Page
      title={t('recordOf', { name })}
      text={name === loginId ? undefined : <span className="login-id">{loginId}</span>}
      back={{ to: '/console/users/$loginId', params: { loginId }, text: name }}
      actions={
        <>
          <PrintButton />
          <DownloadButton
            path={rows.path}
            accept="text/csv"
            name={`training-record-${loginId}.csv`}
            text={list('csv')}
          />
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
            {t('recordOne')}
          </Button>
        </>
      }
    >
      <FilteredList
        label={t('recordOf', { name })}
        rows={rows}
        columns={useRecordColumns()}
        noneFound={{ title: t('none'), text: t('noneText') }}
        none={<Message title={t('none')} text={t('noneText')} />}
      />
      {isOpen && <CompletionDialog loginId={loginId} name={name} onClose={() => setOpen(false)} />}
    </Page>
  );
}
