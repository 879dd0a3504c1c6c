import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { useEnrolmentColumns } from '../enrolments/columns.tsx';
import { EnrolmentLink } from '../enrolments/enrolment-link.tsx';

/** The newest enrolment comes first, because questions are usually about the latest one. */
export function UserEnrolments({ loginId, enrol }: { loginId: string; enrol: ReactNode }) {
  const t = useTranslations('users');
  const e = useTranslations('enrolments');
  const { $api } = useApi();
  const columns = useEnrolmentColumns();
  const enrolments = $api.useInfiniteQuery(
    'get',
    '/enrolment/{LoginID}',
    { params: { path: { LoginID: loginId }, query: { Order: 'newest' } } },
    paged,
  );
  return (
    <List
      label={t('enrolments')}
      query={enrolments}
      rowKey={({ EnrollID }) => EnrollID}
      columns={[
        {
          key: 'course',
          header: e('course'),
          share: 40,
          cell: ({ EnrollID, CourseTitle }) => (
            <EnrolmentLink of={{ LoginID: loginId, EnrollID }} text={CourseTitle} />
          ),
        },
        ...columns,
      ]}
      empty={
        <Message title={t('noEnrolments')} text={t('noEnrolmentsText')}>
          {enrol}
        </Message>
      }
    />
  );
}
