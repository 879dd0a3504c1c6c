import {
  Alert,
  Badge,
  Button,
  Code,
  FileInput,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { FailedAction } from '../../parts/states.tsx';
import type { Search } from '../../url-state.ts';
import { bodyOf, type Entry, needsSession, type Parameter } from './document.ts';
import { addressOf } from './request.ts';

type Answer = { status: number; milliseconds: number; headers: [string, string][]; text: string };

const shownHeaders = ['location', 'retry-after', 'ratelimit', 'idempotency-replayed', 'x-request-id'];
/** Longer responses are cut off, because this page is not meant for exports. */
const maxLength = 100_000;

async function readResponse(response: Response, began: number): Promise<Answer> {
  const text = (await response.text()).slice(0, maxLength);
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    milliseconds: Math.round(performance.now() - began),
    headers: [...response.headers].filter(([name]) => shownHeaders.includes(name)),
    text: isJson && text.length < maxLength ? JSON.stringify(JSON.parse(text), null, 2) : text,
  };
}

/** Calls the real service with the session of this browser, or with a key that is not stored anywhere. */
export function TryIt({ entry }: { entry: Entry }) {
  const t = useTranslations('reference');
  const search: Search = useLocation().search;
  const body = bodyOf(entry.requestBody?.content);
  const isJson = body?.type === 'application/json';
  const [values, setValues] = useState<Record<string, string>>({ 'header Tenant': search.tenant ?? '' });
  const [key, setKey] = useState('');
  const [text, setText] = useState(() => (body && isJson ? JSON.stringify(body.example, null, 2) : ''));
  const [file, setFile] = useState<File | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const problem = isJson ? jsonProblem(text) : null;
  const sending = useAction(async () => {
    setAnswer(null);
    const headers = new Headers(key ? { Authorization: `Bearer ${key}` } : {});
    for (const { in: place, name } of entry.parameters ?? []) {
      const value = values[`${place} ${name}`];
      if (place === 'header' && value)
        headers.set(name, name === 'Tenant' ? encodeURIComponent(value) : value);
    }
    if (body) headers.set('Content-Type', body.type);
    const began = performance.now();
    const response = await fetch(addressOf(entry, values), {
      method: entry.method,
      headers,
      credentials: key ? 'omit' : 'same-origin',
      ...(body ? { body: isJson ? text : file } : {}),
    });
    setAnswer(await readResponse(response, began));
  });
  const set = (parameter: Parameter) => (value: string) =>
    setValues((before) => ({ ...before, [`${parameter.in} ${parameter.name}`]: value }));
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void sending.run();
      }}
    >
      <Title order={3} size="h5">
        {t('tryIt')}
      </Title>
      {entry.method !== 'GET' && <Alert color="orange">{t('isReal')}</Alert>}
      {entry['x-access'] !== 'anyone' && !needsSession(entry) && (
        <TextInput
          label={t('key')}
          description={t('keyText')}
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      )}
      {entry.parameters?.map((parameter) => (
        <ParameterInput
          key={`${parameter.in} ${parameter.name}`}
          parameter={parameter}
          value={values[`${parameter.in} ${parameter.name}`] ?? ''}
          onChange={set(parameter)}
        />
      ))}
      {body && isJson && (
        <Textarea
          label={t('body')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          classNames={{ input: 'code-input' }}
          error={problem && t('notJson', { problem })}
        />
      )}
      {body && !isJson && (
        <FileInput
          label={`${t('body')} (${body.type})`}
          value={file}
          onChange={setFile}
          clearable
          required
          placeholder={t('chooseFile')}
        />
      )}
      <FailedAction error={sending.error} />
      <Group>
        <Button type="submit" loading={sending.isRunning} disabled={problem !== null}>
          {t('send')}
        </Button>
      </Group>
      <div aria-live="polite">{answer && <ResponseView answer={answer} />}</div>
    </Stack>
  );
}

function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text || '{}');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type InputProps = { parameter: Parameter; value: string; onChange: (value: string) => void };

function ParameterInput({ parameter, value, onChange }: InputProps) {
  const { name, required, in: place, schema, example } = parameter;
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null);
  const common = { label: name, required: required || place === 'path' };
  if (choices)
    return (
      <NativeSelect
        {...common}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[{ value: '', label: '–' }, ...choices.map(String)]}
      />
    );
  return (
    <TextInput
      {...common}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      placeholder={place === 'path' ? String(example) : ''}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

function ResponseView({ answer: { status, milliseconds, headers, text } }: { answer: Answer }) {
  const t = useTranslations('reference');
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Badge color={status < 300 ? 'green' : status < 500 ? 'orange' : 'red'} size="lg">
          {status}
        </Badge>
        <Text size="sm" c="dimmed">
          {t('took', { milliseconds })}
        </Text>
      </Group>
      {headers.map(([name, value]) => (
        <Text size="sm" key={name} className="break">
          <Code>{name}</Code> {value}
        </Text>
      ))}
      <Code block className="sample" tabIndex={0} role="region" aria-label={t('answer')}>
        {text || t('emptyResponse')}
      </Code>
    </Stack>
  );
}
