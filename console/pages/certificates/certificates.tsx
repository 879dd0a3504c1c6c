import { Button, Text } from '@mantine/core';
import { IconFileCertificate } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import {
  CsvButton,
  choiceFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { Page } from '../../parts/page.tsx';
import { isOrder } from '../../parts/sorting.tsx';
import { Message } from '../../parts/states.tsx';
import { CoursePicker, LearnerPicker } from '../enrolments/pickers.tsx';
import { UserLink } from '../users/person.tsx';
import { statuses, useCertificateColumns } from './columns.tsx';
import { EvidenceDialog } from './evidence-dialog.tsx';
import type { Certificate } from './record.ts';

/** All certificates of the tenant, the newest first. */
export default function Certificates() {
  const t = useTranslations('certificates');
  const shell = useTranslations('shell');
  const at = useListFilters(
    [
      {
        name: 'login',
        query: (LoginID) => ({ LoginID }),
        field: (props) => <LearnerPicker {...props} />,
      },
      {
        name: 'course',
        query: (CourseID) => ({ CourseID }),
        field: (props) => <CoursePicker {...props} />,
      },
      choiceFilter(
        'status',
        t('status'),
        statuses.map((value) => ({ value, label: t(`statuses.${value}`), query: { Status: value } })),
      ),
      choiceFilter('pdf', t('pdfName'), [
        { value: 'incomplete', label: t('pdfNameIncomplete'), query: { NameIncomplete: true } },
      ]),
    ],
    ['order'],
  );
  const order = isOrder(at.values.order) ? at.values.order : 'newest';
  const rows = useListRows<Certificate>({
    path: '/certificate',
    at,
    order: { Order: order },
    rowKey: ({ Number: number }) => number,
    nameOf: ({ Name, Number: number }) => Name ?? number,
  });
  const [isExporting, setExporting] = useState(false);
  const chosen = { LoginID: at.values.login, CourseID: at.values.course };
  const columns = useCertificateColumns();
  return (
    <Page
      title={shell('pages.certificates')}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconFileCertificate size={16} aria-hidden />}
            onClick={() => setExporting(true)}
          >
            {t('evidence')}
          </Button>
          <DownloadButton
            path={withQuery('/certificate/zip', {
              ...chosen,
              Status: at.values.status,
              NameIncomplete: at.values.pdf === 'incomplete' || undefined,
            })}
            accept="application/zip"
            name="certificates.zip"
            text={t('zip')}
          />
          <CsvButton rows={rows} />
        </>
      }
    >
      {isExporting && <EvidenceDialog chosen={chosen} onClose={() => setExporting(false)} />}
      <ListFilterBar at={at} />
      <FilteredList
        label={shell('pages.certificates')}
        rows={rows}
        columns={[
          {
            key: 'name',
            header: t('name'),
            share: 22,
            cell: ({ LoginID, Name, NameIncomplete }) => (
              <>
                {LoginID === null ? t('erased') : <UserLink loginId={LoginID}>{Name ?? LoginID}</UserLink>}
                {NameIncomplete && (
                  <Text size="xs" c="dimmed">
                    {t('pdfNameText')}
                  </Text>
                )}
              </>
            ),
          },
          ...columns,
        ]}
        sorts={[
          {
            column: 'issued',
            order,
            onChange: (order) => at.change({ order }),
            texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
          },
        ]}
        noneFound={{ title: t('noneFound'), text: t('noneFoundText') }}
        none={<Message title={t('none')} text={t('noneText')} />}
      />
    </Page>
  );
}
