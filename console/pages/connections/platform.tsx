import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { RowButtons } from '../../parts/edited-rows.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { Members } from './members.tsx';
import type { Platform } from './platform-form.tsx';
import { TestResult } from './test-result.tsx';

export function PlatformRow({ platform, onEdit }: { platform: Platform; onEdit: () => void }) {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const { PlatformID, Name, Issuer } = platform;
  const params = { path: { PlatformID } };
  const test = $api.useMutation('post', '/platform/{PlatformID}/test');
  const remove = $api.useMutation('delete', '/platform/{PlatformID}');
  const [shown, setShown] = useState<'launches' | 'members' | null>(null);
  const toggle = (part: 'launches' | 'members') => (
    <Button
      variant="default"
      onClick={() => setShown(shown === part ? null : part)}
      aria-expanded={shown === part}
    >
      {t(part)}
    </Button>
  );
  const trying = useAction(async () => void (await test.mutateAsync({ params })));
  return (
    <Stack gap="xs" role="group" aria-label={Name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fw={600}>{Name}</Text>
          <Note>{Issuer}</Note>
        </div>
        <Group gap="xs">
          <Button variant="default" onClick={() => void trying.run()} loading={trying.isRunning}>
            {t('test')}
          </Button>
          {toggle('launches')}
          {toggle('members')}
          <RowButtons onEdit={onEdit} remove={() => remove.mutateAsync({ params })} texts={t} />
        </Group>
      </Group>
      <FailedAction error={trying.error} />
      {test.data && <TestResult result={test.data} />}
      {shown === 'launches' && <Launches platformId={PlatformID} />}
      {shown === 'members' && <Members platformId={PlatformID} />}
    </Stack>
  );
}

/** The latest launches, with the reason of each that failed. */
function Launches({ platformId }: { platformId: string }) {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const params = { path: { PlatformID: platformId }, query: { Limit: 20 } };
  const { data } = $api.useQuery('get', '/platform/{PlatformID}/launch', { params });
  if (!data) return null;
  if (data.Items.length === 0) return <Text size="sm">{t('noLaunches')}</Text>;
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('when')}</Table.Th>
            <Table.Th>{t('what')}</Table.Th>
            <Table.Th>{t('result')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.Items.map(({ LaunchID, LaunchedAt, Message, CourseID, LoginID, Problem, Detail }) => (
            <Table.Tr key={LaunchID}>
              <Table.Td>
                <Instant at={LaunchedAt} />
              </Table.Td>
              <Table.Td className="break">
                {t(`messages.${Message}`)}
                <Note>{[CourseID, LoginID].filter(Boolean).join(' · ')}</Note>
              </Table.Td>
              <Table.Td className="break">
                {t(Problem === null ? 'succeeded' : `problems.${Problem}`)}
                {Detail && (
                  <Note>
                    <span lang="en">{Detail}</span>
                  </Note>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
