import { Alert, Button, Code, Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton, useAction } from '../../parts/action.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { Copyable, Instant, Note } from '../../parts/values.tsx';
import { TestResult } from '../connections/test-result.tsx';
import { UserName } from '../users/person.tsx';

/** Users and groups from the company's directory (SCIM). */
export function Directory() {
  const t = useTranslations('singleSignOn');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/provisioning');
  return (
    <Section title={t('directory')} text={t('directoryText')}>
      {asked.isPending && <WaitingRows rows={2} />}
      {asked.error && <Failed error={asked.error} onRetry={() => asked.refetch()} />}
      {asked.data && <Settings settings={asked.data} />}
    </Section>
  );
}

function Settings({ settings }: { settings: components['schemas']['Provisioning'] }) {
  const t = useTranslations('singleSignOn');
  const { $api } = useApi();
  const queries = useQueryClient();
  const put = $api.useMutation('put', '/provisioning');
  const confirm = $api.useMutation('post', '/provisioning/confirm');
  const test = $api.useQuery('get', '/provisioning/test', {}, { enabled: false });
  const saving = useAction(async (isDry: boolean) => {
    await put.mutateAsync({ body: { Mode: isDry ? 'dry_run' : 'live' } });
    await queries.invalidateQueries();
  });
  const { BaseURL, Mode, StoppedAt, ConfirmedUntil, GuardPercent, Keys } = settings;
  return (
    <Stack>
      <Copyable value={BaseURL} label={t('address')} />
      {Keys.map(({ KeyID, Name, ExpiresAt, Expiring }) => (
        <Text key={KeyID} size="sm" c={Expiring ? 'red' : 'dimmed'}>
          {t('key', { name: Name })} <Instant at={ExpiresAt} none={t('noExpiry')} isDay />
        </Text>
      ))}
      {Keys.length === 0 && <Text size="sm">{t('noKey')}</Text>}
      <Group>
        <Button variant="default" onClick={() => void test.refetch()} loading={test.isFetching}>
          {t('test')}
        </Button>
      </Group>
      {test.data && <TestResult result={test.data} />}
      {StoppedAt && (
        <Alert color="red" role="alert" title={t('stopped')}>
          <Stack align="flex-start">
            {t('stoppedText', { percent: GuardPercent })}
            <ConfirmButton
              text={t('confirm')}
              title={t('confirmTitle')}
              question={t('confirmText')}
              confirm={t('confirm')}
              isDangerous
              act={async () => {
                await confirm.mutateAsync({});
                await queries.invalidateQueries();
              }}
            />
          </Stack>
        </Alert>
      )}
      {ConfirmedUntil && (
        <Text size="sm" c="orange">
          {t('confirmedUntil')} <Instant at={ConfirmedUntil} />
        </Text>
      )}
      <Switch
        label={t('dryRun')}
        description={t('dryRunText')}
        checked={Mode === 'dry_run'}
        disabled={saving.isRunning}
        onChange={(event) => void saving.run(event.currentTarget.checked)}
      />
      <FailedAction error={saving.error ?? test.error} />
      <Log keys={new Map(Keys.map(({ KeyID, Name }) => [KeyID, Name]))} />
    </Stack>
  );
}

/** The answer to a rejected request is one of SCIM's error bodies, cut off if it was very long. */
function detailOf(answer: string | null | undefined): string {
  try {
    return String((JSON.parse(answer ?? '') as { detail?: unknown }).detail);
  } catch {
    return '';
  }
}

/** Who or which group a request is about: the user, or else the name in its body. */
function subjectOf(request: string | null | undefined): string | null {
  try {
    const { displayName } = JSON.parse(request ?? '') as { displayName?: unknown };
    return typeof displayName === 'string' ? displayName : null;
  } catch {
    return null;
  }
}

/** `keys`: the names of the keys. */
function Log({ keys }: { keys: ReadonlyMap<string, string> }) {
  const t = useTranslations('singleSignOn');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/provisioning/log', { params: { query: { Limit: 20 } } });
  const rows = asked.data?.Items ?? [];
  if (rows.length === 0) return null;
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table aria-label={t('log')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('when')}</Table.Th>
            <Table.Th>{t('request')}</Table.Th>
            <Table.Th>{t('answer')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ EntryID, At, KeyID, LoginID, Method, Path, Status, DryRun, Request, Answer }) => (
            <Table.Tr key={EntryID}>
              <Table.Td>
                <Instant at={At} />
                <Note>{keys.get(KeyID ?? '')}</Note>
              </Table.Td>
              <Table.Td>
                <div>{LoginID === null ? subjectOf(Request) : <UserName loginId={LoginID} />}</div>
                <Code className="break">
                  {Method} {Path}
                </Code>
                {Status >= 400 && (
                  <Text size="sm" c="red" className="break" lang="en">
                    {detailOf(Answer)}
                  </Text>
                )}
                {Request && (
                  <details>
                    <summary>{t('body')}</summary>
                    <Code block className="break">
                      {Request}
                    </Code>
                  </details>
                )}
              </Table.Td>
              <Table.Td>
                {Status} {DryRun && t('dry')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
