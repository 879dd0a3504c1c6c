import { Alert, Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';

/** What is known about the members of courses in the platform, and the import that changes people here. */
export function Members({ platformId }: { platformId: string }) {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const queries = useQueryClient();
  const params = { path: { PlatformID: platformId } };
  const asked = $api.useQuery('get', '/platform/{PlatformID}/roster', { params });
  const sync = $api.useMutation('post', '/platform/{PlatformID}/roster');
  const reading = useAction(async () => {
    await sync.mutateAsync({ params });
    await queries.invalidateQueries();
  });
  if (asked.isPending) return <WaitingRows rows={2} />;
  if (!asked.data) return <Failed error={asked.error} onRetry={() => asked.refetch()} />;
  const { ReadAt, ImportID, Waiting, Contexts } = asked.data;
  const plan = (text: string) => (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link to="/console/enrol" search={{ import: ImportID ?? undefined } as never} {...props} />
      )}
    >
      {text}
    </Anchor>
  );
  return (
    <Stack gap="sm">
      {Waiting && (
        <Alert color="orange" title={t('waitingTitle')}>
          <Stack gap="xs" align="flex-start">
            {t('waitingText')}
            {plan(t('checkPlan'))}
          </Stack>
        </Alert>
      )}
      <Group gap="md">
        <Button variant="default" onClick={() => void reading.run()} loading={reading.isRunning}>
          {t('readMembers')}
        </Button>
        <Text size="sm" c="dimmed">
          {ReadAt === null ? (
            t('neverRead')
          ) : (
            <>
              {t('lastRead')} {<Instant at={ReadAt} />}
            </>
          )}
        </Text>
        {ImportID !== null && !Waiting && plan(t('lastChanges'))}
      </Group>
      <FailedAction error={reading.error} />
      {Contexts.length === 0 ? (
        <Text size="sm">{t('noContexts')}</Text>
      ) : (
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('context')}</Table.Th>
              <Table.Th>{t('learners')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {Contexts.map(({ ContextID, Title, Members, Problem }) => (
              <Table.Tr key={ContextID}>
                <Table.Td className="break">
                  {Title ?? ContextID}
                  {Problem && (
                    <Note>
                      <span lang="en">{Problem}</span>
                    </Note>
                  )}
                </Table.Td>
                <Table.Td>{Members ?? '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
