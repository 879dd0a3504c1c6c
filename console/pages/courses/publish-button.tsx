import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { notify } from '../../parts/toast.tsx';
import { type AuthoredCourse, hasErrors as hasErrorsIn } from './values.tsx';

/** Publishes the course after showing who will see it. If the package has errors, the user must first acknowledge them. */
export function PublishButton({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses.publish');
  const { client } = useApi();
  const queries = useQueryClient();
  const { CourseID, Title, Tenants, Standard, EnrolOptions } = course;
  const hasErrors = hasErrorsIn(course);
  const hasOption = EnrolOptions.some(({ Status }) => Status === 'published');
  const publish = async () => {
    const params = { path: { CourseID } };
    const { error } = await client.PUT('/course/{CourseID}', { params, body: { Status: 'published' } });
    if (error) throw error;
    notify(t('done', { title: Title }));
    await queries.invalidateQueries();
  };
  return (
    <ConfirmButton
      text={t(hasErrors ? 'anyway' : 'button')}
      title={t('title', { title: Title })}
      confirm={t(hasErrors ? 'anyway' : 'button')}
      button={hasErrors ? { size: 'compact-sm' } : { variant: 'filled' }}
      acknowledge={hasErrors ? t('acknowledge') : undefined}
      isDangerous={hasErrors}
      act={publish}
      question={
        <Stack gap="xs">
          <Text>{Tenants === null ? t('toAll') : t('toSome', { count: Tenants.length })}</Text>
          {Standard === null && <Text fw={600}>{t('noContent')}</Text>}
          {!hasOption && <Text fw={600}>{t('noOption')}</Text>}
        </Stack>
      }
    />
  );
}
