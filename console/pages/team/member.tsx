import { Button, Stack, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { nameOf, useSession } from '../../api/session.tsx';
import { Rows } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Message, Waiting } from '../../parts/states.tsx';
import { Instant, OutcomeBadge } from '../../parts/values.tsx';
import { RemindDialog } from '../requirements/remind-dialog.tsx';
import { StatusBadge } from '../requirements/status.tsx';
import { DueDay } from './due-day.tsx';

type Record = components['schemas']['TeamRecord'];
/** The training record of a direct report. */
export default function MemberPage() {
  const { loginId } = useParams({ from: '/console/team/$loginId' });
  const { LoginID } = useSession();
  const t = useTranslations('team');
  const { $api } = useApi();
  const params = { path: { LoginID: LoginID ?? '', MemberLoginID: loginId } };
  const asked = $api.useQuery('get', '/team/{LoginID}/{MemberLoginID}', { params });
  if (asked.isPending) return <Waiting />;
  if (toFailure(asked.error).code === 'user_not_found')
    return (
      <Message isPage title={t('notYours')} text={t('notYoursText')}>
        <Button renderRoot={(props) => <Link to="/console/team" search={{}} {...props} />}>
          {t('title')}
        </Button>
      </Message>
    );
  if (!asked.data) return <Failed isPage error={asked.error} onRetry={() => asked.refetch()} />;
  return <Shown record={asked.data} manager={params.path.LoginID} />;
}

function Shown({ record, manager }: { record: Record; manager: string }) {
  const t = useTranslations('team');
  const o = useTranslations('obligations');
  const [isReminding, setReminding] = useState(false);
  const required = record.Obligations.filter(({ Status }) => Status !== 'closed');
  return (
    <Page
      title={nameOf(record)}
      back={{ to: '/console/team', text: t('title') }}
      actions={<Button onClick={() => setReminding(true)}>{t('remind')}</Button>}
    >
      <Stack gap="xl">
        <Stack gap="sm">
          <Title order={2} size="h4">
            {t('required')}
          </Title>
          {required.length === 0 ? (
            <Message title={t('nothingRequired')} />
          ) : (
            <Rows
              label={t('required')}
              rows={required}
              rowKey={({ RequirementID, Cycle }) => `${RequirementID} ${Cycle}`}
              columns={[
                { key: 'title', header: o('requirement'), cell: ({ Title }) => Title },
                {
                  key: 'status',
                  header: t('columns.status'),
                  cell: ({ Status }) => <StatusBadge status={Status} />,
                },
                {
                  key: 'due',
                  header: t('columns.due'),
                  cell: ({ DueAt, Status }) => <DueDay at={DueAt} isLate={Status === 'overdue'} />,
                },
                { key: 'met', header: t('columns.met'), cell: ({ MetAt }) => <Instant at={MetAt} isDay /> },
                {
                  key: 'valid',
                  header: t('columns.valid'),
                  cell: ({ ValidUntil }) => <Instant at={ValidUntil} isDay />,
                },
              ]}
            />
          )}
        </Stack>
        <Stack gap="sm">
          <Title order={2} size="h4">
            {t('courses')}
          </Title>
          {record.Enrolments.length === 0 ? (
            <Message title={t('noCourses')} />
          ) : (
            <Rows
              label={t('courses')}
              rows={record.Enrolments}
              rowKey={({ EnrollID }) => EnrollID}
              columns={[
                { key: 'course', header: t('columns.course'), cell: ({ CourseTitle }) => CourseTitle },
                {
                  key: 'outcome',
                  header: t('columns.status'),
                  cell: ({ Outcome }) => <OutcomeBadge outcome={Outcome} />,
                },
                {
                  key: 'enrolled',
                  header: t('columns.enrolled'),
                  cell: ({ EnrolledAt }) => <Instant at={EnrolledAt} isDay />,
                },
                {
                  key: 'completed',
                  header: t('columns.met'),
                  cell: ({ CompletedAt }) => <Instant at={CompletedAt} isDay />,
                },
              ]}
            />
          )}
        </Stack>
      </Stack>
      {isReminding && (
        <RemindDialog
          whom={{ LoginIDs: [record.LoginID] }}
          team={{ manager, people: [record] }}
          onClose={() => setReminding(false)}
        />
      )}
    </Page>
  );
}
