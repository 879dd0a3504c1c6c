import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { DownloadButton } from '../../parts/download.tsx';
import { EditedRows, RowButtons } from '../../parts/edited-rows.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Note } from '../../parts/values.tsx';
import { DispatchDialog } from './dispatch-form.tsx';
import { DispatchLearners } from './dispatch-learners.tsx';

type Dispatch = components['schemas']['Dispatch'];

/** Courses that other organisations play in their own LMS. */
export function Dispatches() {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/dispatch');
  return (
    <EditedRows
      asked={asked}
      texts={{
        title: t('dispatches'),
        text: t('dispatchesText'),
        add: t('addDispatch'),
        emptyTitle: t('emptyDispatches'),
      }}
      row={(one) => <Row key={one.DispatchID} dispatch={one} />}
      dialog={(_, isOpen, onClose) => <DispatchDialog isOpen={isOpen} onClose={onClose} />}
    />
  );
}

function Row({ dispatch }: { dispatch: Dispatch }) {
  const t = useTranslations('platforms');
  const format = useFormatter();
  const { $api } = useApi();
  const queries = useQueryClient();
  const { DispatchID, Name, CourseID, Standard, Seats, SeatsTaken, EndsAt, Enabled } = dispatch;
  const params = { path: { DispatchID } };
  const [showsLearners, setShowsLearners] = useState(false);
  const put = $api.useMutation('put', '/dispatch/{DispatchID}');
  const remove = $api.useMutation('delete', '/dispatch/{DispatchID}');
  const switching = useAction(async () => {
    await put.mutateAsync({ params, body: { Enabled: !Enabled } });
    await queries.invalidateQueries();
  });
  const seats =
    Seats === null ? t('taken', { taken: SeatsTaken }) : t('takenOf', { taken: SeatsTaken, seats: Seats });
  const end = EndsAt && t('until', { at: format.dateTime(new Date(EndsAt), { dateStyle: 'medium' }) });
  return (
    <Stack gap="xs" role="group" aria-label={Name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <Text fw={600}>{Name}</Text>
            <Badge color={Enabled ? 'green' : 'gray'}>{t(Enabled ? 'running' : 'stopped')}</Badge>
          </Group>
          <Note>{[CourseID, Standard, seats, end].filter(Boolean).join(' · ')}</Note>
        </div>
        <Group gap="xs">
          <DownloadButton
            text={t('download')}
            path={`/dispatch/${DispatchID}/package`}
            accept="application/octet-stream"
            name={`${CourseID}-${Standard}.zip`}
          />
          <Button
            variant="default"
            onClick={() => setShowsLearners(!showsLearners)}
            aria-expanded={showsLearners}
          >
            {t('learners')}
          </Button>
          <Button variant="default" onClick={() => void switching.run()} loading={switching.isRunning}>
            {t(Enabled ? 'stop' : 'resume')}
          </Button>
          <RowButtons
            remove={() => remove.mutateAsync({ params })}
            texts={(name) =>
              t(
                name === 'deleteTitle'
                  ? 'deleteDispatchTitle'
                  : name === 'deleteText'
                    ? 'deleteDispatchText'
                    : name,
              )
            }
          />
        </Group>
      </Group>
      <FailedAction error={switching.error} />
      {showsLearners && <DispatchLearners dispatchId={DispatchID} name={Name} />}
    </Stack>
  );
}
