import { ActionIcon, Menu, Text } from '@mantine/core';
import {
  IconDotsVertical,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import type { Schedule } from './schedule-form.ts';

/** The actions of a scheduled report. */
export function ScheduleMenu({ schedule }: { schedule: Schedule }) {
  const t = useTranslations('reports.schedules');
  const { $api } = useApi();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const update = $api.useMutation('put', '/report/schedule/{ScheduleID}');
  const run = $api.useMutation('post', '/report/schedule/{ScheduleID}/run');
  const remove = $api.useMutation('delete', '/report/schedule/{ScheduleID}');
  const params = { path: { ScheduleID: schedule.ScheduleID } };
  const isPaused = schedule.Status === 'paused';
  const doing = useAction(async (act: () => Promise<unknown>, message: string) => {
    await act();
    await queries.invalidateQueries();
    notify(message);
  });
  const Status = isPaused ? 'active' : 'paused';
  const close = () => setDialog(null);
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="md"
            loading={doing.isRunning}
            aria-label={t('more', { name: schedule.Name })}
          >
            <IconDotsVertical size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setDialog('edit')}>
            {t('edit')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconSend size={16} aria-hidden />}
            onClick={() => doing.run(() => run.mutateAsync({ params }), t('running'))}
          >
            {t('run')}
          </Menu.Item>
          <Menu.Item
            leftSection={
              isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />
            }
            onClick={() =>
              doing.run(
                () => update.mutateAsync({ params, body: { Status } }),
                t(isPaused ? 'isResumed' : 'isPaused'),
              )
            }
          >
            {t(isPaused ? 'resume' : 'pause')}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDialog('delete')}
          >
            {t('delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FailedAction error={doing.error} />
      <ScheduleDialog schedule={schedule} isOpen={dialog === 'edit'} onClose={close} />
      <FormDialog
        title={t('deleteTitle')}
        isOpen={dialog === 'delete'}
        onClose={close}
        submit={t('delete')}
        isDangerous
        onSubmit={() => doing.run(() => remove.mutateAsync({ params }), t('deleted'))}
      >
        <Text className="break">{t('deleteText', { name: schedule.Name })}</Text>
      </FormDialog>
    </>
  );
}
