import { Badge, Code, Divider, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { CopyTextButton } from '../../parts/values.tsx';
import { bodyOf, type Entry, needsSession } from './document.ts';
import { Fields, ParameterFields } from './fields.tsx';
import { Method } from './method.tsx';
import { curlOf, exampleRequest, scriptOf } from './request.ts';
import { TryIt } from './try-it.tsx';

/** One operation: its purpose, permissions, parameters and responses, an example call, and a form to try it. */
export function OperationView({ entry, baseUrl }: { entry: Entry; baseUrl: string }) {
  const t = useTranslations('reference');
  const isEvent = entry.method === 'EVENT';
  const body = bodyOf(entry.requestBody?.content);
  return (
    <Stack gap="xl" component="article" aria-labelledby="operation">
      <Stack gap="xs">
        <Title order={2} id="operation" size="h3" className="break">
          {entry.summary ?? entry.operationId}
        </Title>
        <Group gap="xs">
          {!isEvent && <Method method={entry.method} />}
          <Code fz="sm" className="break">
            {entry.path}
          </Code>
        </Group>
        <Access entry={entry} />
        {entry.description && <Text>{entry.description}</Text>}
      </Stack>
      {!isEvent && <ParameterFields entry={entry} />}
      {body && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t(isEvent ? 'sent' : 'body')} <Code>{body.type}</Code>
          </Title>
          <Fields schema={body.schema} label={t('body')} />
        </Stack>
      )}
      {isEvent ? (
        <Block label={t('example')} text={JSON.stringify(body?.example, null, 2)} />
      ) : (
        !needsSession(entry) && <Samples entry={entry} baseUrl={baseUrl} />
      )}
      {!isEvent && <Answers entry={entry} />}
      {!isEvent && !entry.servers && (
        <>
          <Divider />
          <TryIt entry={entry} />
        </>
      )}
    </Stack>
  );
}

function Access({ entry }: { entry: Entry }) {
  const t = useTranslations('reference');
  const access = entry['x-access'];
  if (!access) return null;
  return (
    <Group gap="xs">
      <Badge color={access === 'anyone' ? 'green' : 'gray'}>
        {t(`access.${needsSession(entry) ? 'people' : access}`)}
      </Badge>
      {entry['x-scope'] && (
        <Text size="sm" c="dimmed">
          {t('scope')} <Code>{entry['x-scope']}</Code>
        </Text>
      )}
    </Group>
  );
}

function Samples({ entry, baseUrl }: { entry: Entry; baseUrl: string }) {
  const t = useTranslations('reference');
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('example')}
      </Title>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List aria-label={t('example')}>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
          <Tabs.Tab value="script">JavaScript</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="curl" pt="sm">
          <Block label="curl" text={curlOf(exampleRequest(entry, baseUrl))} />
        </Tabs.Panel>
        <Tabs.Panel value="script" pt="sm">
          <Block label="JavaScript" text={scriptOf(entry, baseUrl)} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

export function Block({ label, text }: { label: string; text: string }) {
  const t = useTranslations('act');
  return (
    <Stack gap="xs" align="flex-start">
      <Code block w="100%" className="sample" tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
      <CopyTextButton value={text} text={t('copy')} />
    </Stack>
  );
}

function Answers({ entry }: { entry: Entry }) {
  const t = useTranslations('reference');
  return (
    <Stack gap="md">
      <Title order={3} size="h5">
        {t('answers')}
      </Title>
      {Object.entries(entry.responses).map(([status, { description, content }]) => {
        const answer = bodyOf(content);
        return (
          <Stack gap="xs" key={status}>
            <Group gap="xs">
              <Badge color={status.startsWith('2') ? 'green' : status === 'default' ? 'red' : 'gray'}>
                {status === 'default' ? t('problem') : status}
              </Badge>
              <Text size="sm">{description}</Text>
            </Group>
            {answer && status !== 'default' && (
              <Fields schema={answer.schema} label={`${t('answers')} ${status}`} />
            )}
          </Stack>
        );
      })}
    </Stack>
  );
}
