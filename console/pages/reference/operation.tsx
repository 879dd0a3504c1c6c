import { Badge, Button, Code, Divider, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { Block } from './block.tsx';
import { bodyOf, type Entry, needsSession } from './document.ts';
import { Fields, ParameterFields } from './fields.tsx';
import { Method } from './method.tsx';
import { Prose } from './prose.tsx';
import { Samples } from './samples/samples.tsx';
import { TryIt } from './try-it.tsx';

/** One operation: its purpose, permissions, parameters and responses, an example call, and a form to try it. */
export function OperationView({ entry, baseUrl }: { entry: Entry; baseUrl: string }) {
  const t = useTranslations('reference');
  const isEvent = entry.method === 'EVENT';
  const body = bodyOf(entry.requestBody?.content);
  const form = useRef<HTMLDivElement>(null);
  const hasForm = !isEvent && !entry.servers;
  const tryIt = () => {
    form.current?.scrollIntoView();
    form.current?.querySelector<HTMLElement>('input, textarea, button')?.focus({ preventScroll: true });
  };
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
          {hasForm && (
            <Button variant="default" size="xs" onClick={tryIt}>
              {t('tryIt')}
            </Button>
          )}
        </Group>
        <Access entry={entry} />
        {entry.description && (
          <Text>
            <Prose text={entry.description} />
          </Text>
        )}
      </Stack>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, xl: 6 }}>
          <Stack gap="xl">
            {!isEvent && <ParameterFields entry={entry} />}
            {body && (
              <Stack gap="xs">
                <Title order={3} size="h5">
                  {t(isEvent ? 'sent' : 'body')} <Code>{body.type}</Code>
                </Title>
                <Fields schema={body.schema} label={t('body')} />
              </Stack>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, xl: 6 }}>
          <div className="beside">
            {isEvent ? (
              <Block label={t('example')} text={JSON.stringify(body?.example, null, 2)} />
            ) : (
              !needsSession(entry) && <Samples entry={entry} baseUrl={baseUrl} />
            )}
          </div>
        </Grid.Col>
      </Grid>
      {!isEvent && <Answers entry={entry} />}
      {hasForm && (
        <>
          <Divider />
          <div ref={form} className="try-it">
            <TryIt entry={entry} />
          </div>
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
              <Text size="sm">
                <Prose text={description} />
              </Text>
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
