import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { Message } from '../../parts/states.tsx';
import { OptionDialog } from './option-dialog.tsx';
import { OptionRows } from './option-rows.tsx';
import type { AuthoredCourse, Option } from './values.tsx';

/** A course's enrolment options. Each has a DurationID, a duration, seats and a price. */
export function Options({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses.options');
  const { client } = useApi();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Option | 'new' | null>(null);
  const { CourseID, EnrolOptions } = course;
  const remove = async ({ DurationID }: Option) => {
    const params = { path: { CourseID, DurationID } };
    const { error } = await client.DELETE('/course/{CourseID}/option/{DurationID}', { params });
    if (error) throw error;
    await queries.invalidateQueries();
  };
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {t('add')}
    </Button>
  );
  const hasOptions = EnrolOptions.length > 0;
  return (
    <Stack gap="md">
      {hasOptions && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" maw={560}>
            {t('text')}
          </Text>
          {add}
        </Group>
      )}
      <OptionRows
        options={EnrolOptions}
        empty={
          <Message title={t('emptyTitle')} text={t('emptyText')}>
            {add}
          </Message>
        }
        actions={(option) => (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button variant="default" size="compact-sm" onClick={() => setEdited(option)}>
              {t('edit')}
              <VisuallyHidden> {option.Name}</VisuallyHidden>
            </Button>
            <ConfirmButton
              text={t('delete')}
              title={t('deleteTitle', { name: option.Name })}
              question={t('deleteText')}
              confirm={t('delete')}
              isDangerous
              act={() => remove(option)}
              button={{ size: 'compact-sm', variant: 'subtle', color: 'red' }}
            />
          </Group>
        )}
      />
      {edited !== null && (
        <OptionDialog
          courseId={CourseID}
          option={edited === 'new' ? null : edited}
          taken={EnrolOptions.map(({ DurationID }) => DurationID)}
          onClose={() => setEdited(null)}
        />
      )}
    </Stack>
  );
}
