import { Badge, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDownload } from '../../parts/download.tsx';
import type { Column } from '../../parts/list.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { CorrectDialog, type Correction } from './correct-dialog.tsx';
import type { Certificate } from './record.ts';

export const statuses = [
  'valid',
  'expired',
  'revoked',
  'replaced',
] as const satisfies readonly Certificate['Status'][];
const colors = { valid: 'green', expired: 'orange', revoked: 'red', replaced: 'gray' } as const;

/** The columns of every list of certificates, after the person. */
export function useCertificateColumns(): Column<Certificate>[] {
  const t = useTranslations('certificates');
  return [
    {
      key: 'course',
      header: t('course'),
      share: 26,
      cell: ({ CourseTitle, Reason }) => (
        <>
          <span className="break">{CourseTitle}</span>
          {Reason !== null && (
            <Text size="xs" c="dimmed" className="break">
              {t('revokedFor', { reason: Reason })}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'status',
      onPhone: 'aside',
      header: t('status'),
      cell: ({ Status }) => (
        <Badge color={colors[Status]} miw="max-content">
          {t(`statuses.${Status}`)}
        </Badge>
      ),
    },
    { key: 'issued', header: t('issued'), cell: ({ IssuedAt }) => <Instant at={IssuedAt} isDay /> },
    {
      key: 'until',
      header: t('validUntil'),
      cell: ({ ValidUntil }) => <Instant at={ValidUntil} isDay none={t('noEnd')} />,
    },
    {
      key: 'number',
      header: t('number'),
      cell: ({ Number: number, Serial }) => (
        <>
          <span className="mono">{number}</span>
          {Serial !== null && (
            <Text size="xs" c="dimmed" className="break">
              {Serial}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'actions',
      header: t('actions'),
      isActions: true,
      align: 'end',
      cell: (row) => <CertificateMenu certificate={row} />,
    },
  ];
}

function CertificateMenu({ certificate }: { certificate: Certificate }) {
  const t = useTranslations('certificates');
  const { LoginID, EnrollID, Number: number, Status, ReplacedBy, VerifyURL } = certificate;
  const [correction, setCorrection] = useState<Correction | null>(null);
  const download = useDownload({
    path: `/enrolment/${encodeURIComponent(LoginID ?? '')}/${EnrollID}/certificate`,
    accept: 'application/pdf',
    name: `certificate-${number}.pdf`,
  });
  return (
    <>
      <MoreMenu label={t('more', { number })} isCompact>
        {LoginID !== null && Status !== 'replaced' && Status !== 'revoked' && (
          <Menu.Item onClick={() => void download.run()}>{t('pdf')}</Menu.Item>
        )}
        <Menu.Item component="a" href={VerifyURL} target="_blank" rel="noreferrer">
          {t('check')}
        </Menu.Item>
        <Menu.Divider />
        {LoginID !== null && ReplacedBy === null && (
          <Menu.Item onClick={() => setCorrection('reissue')}>
            {t(Status === 'revoked' ? 'reissue.revokedMenu' : 'reissue.menu')}
          </Menu.Item>
        )}
        {Status !== 'revoked' && (
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setCorrection('revoke')}>
            {t('revoke.menu')}
          </Menu.Item>
        )}
      </MoreMenu>
      <FailedAction error={download.error} />
      {correction && (
        <CorrectDialog certificate={certificate} kind={correction} onClose={() => setCorrection(null)} />
      )}
    </>
  );
}
