import { Anchor, Code, Group, NativeSelect, Stack, Tabs, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Block } from '../block.tsx';
import { type Entry, textTypesOf } from '../document.ts';
import { exampleRequest } from '../request.ts';
import { chosenLanguage, rememberLanguage } from './chosen-language.ts';
import { type LanguageId, languageIds, languages } from './languages.ts';

const formats: Record<string, string> = { 'application/x-ndjson': 'NDJSON', 'text/csv': 'CSV' };

type SamplesProps = { entry: Entry; baseUrl: string };

/** The example request in the reader's language. */
export function Samples({ entry, baseUrl }: SamplesProps) {
  const t = useTranslations('reference');
  const [language, setLanguage] = useState(chosenLanguage);
  const types = textTypesOf(entry.requestBody?.content);
  const [type, setType] = useState(types[0]);
  const choose = (id: string | null) => {
    const chosen = languageIds.find((one) => one === id);
    if (!chosen) return;
    setLanguage(chosen);
    rememberLanguage(chosen);
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {t('example')}
        </Title>
        {types.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={t('format')}
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
            data={types.map((value) => ({ value, label: formats[value] ?? value }))}
          />
        )}
      </Group>
      <Tabs value={language} onChange={choose} keepMounted={false}>
        <Tabs.List aria-label={t('example')}>
          {languageIds.map((id) => (
            <Tabs.Tab key={id} value={id}>
              {languages[id].name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languageIds.map((id) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Sample language={id} entry={entry} baseUrl={baseUrl} type={type} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

type SampleProps = SamplesProps & { language: LanguageId; type: string | undefined };

function Sample({ language, entry, baseUrl, type }: SampleProps) {
  const t = useTranslations('reference');
  const { name, sampleOf } = languages[language];
  const text = sampleOf(entry, baseUrl, type);
  const { isAuthorized } = exampleRequest(entry, baseUrl);
  const isClient = text.includes("'lectern-client'");
  return (
    <Stack gap="xs">
      {(isAuthorized || isClient || language === 'python') && (
        <Text size="sm" c="dimmed">
          {isAuthorized && t.rich('keyVariable', { code: () => <Code>KEY</Code> })}{' '}
          {language === 'python' && t.rich('install', { code: () => <Code>pip install requests</Code> })}
          {isClient && (
            <Anchor href="/docs/guide/typescript-client" underline="always" inherit>
              {t('client')}
            </Anchor>
          )}
        </Text>
      )}
      <Block label={name} text={text} />
    </Stack>
  );
}
