import { Divider, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { notify } from '../../parts/toast.tsx';
import type { AuthoredCourse } from './values.tsx';

/** `isOwn`: a path that the tenant created. */
type Props = { course: Pick<AuthoredCourse, 'CourseID' | 'Title'>; isOwn?: boolean };

/** Only the service knows whether anyone is enrolled. If so, it rejects the deletion and suggests an alternative. */
export function DeleteCourse({ course, isOwn = false }: Props) {
  const { CourseID, Title: title } = course;
  const t = useTranslations('courses.delete');
  const { client } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const { error } = await client.DELETE(isOwn ? '/course/{CourseID}/path' : '/course/{CourseID}', {
      params: { path: { CourseID } },
    });
    if (error) throw error;
    notify(t('done', { title }));
    await navigate({ to: '/console/courses' });
    await queries.invalidateQueries();
  };
  return (
    <Stack gap="xs" mt="xl" maw={720}>
      <Divider mb="md" />
      <Title order={2} size="h5">
        {t('heading')}
      </Title>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" flex="1 1 16rem">
          {t('text')}
        </Text>
        <ConfirmButton
          text={t('button')}
          title={t('title', { title })}
          question={t('question')}
          confirm={t('button')}
          isDangerous
          act={remove}
        />
      </Group>
    </Stack>
  );
}
