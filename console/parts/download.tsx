import { Button, type ButtonProps, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { useAction } from './action.tsx';
import { csvCells, csvFile } from './csv.ts';
import { saveFile } from './save-file.ts';
import { FailedAction } from './states.tsx';

type DownloadOptions = {
  /** API path, including the query. */
  path: string;
  accept:
    | 'text/csv'
    | 'application/pdf'
    | 'application/json'
    | 'application/octet-stream'
    | 'application/zip'
    | 'application/x-ndjson';
  /** Name of the file. */
  name: string;
};

/**
 * Saves an API response. This is a call rather than a link, because only a call can set the media type and the tenant.
 */
export function useDownload({ path, accept, name }: DownloadOptions) {
  const { headers } = useApi();
  const t = useTranslations('headings');
  const inWords = (name: string) => (t.has(name as 'LoginID') ? t(name as 'LoginID') : name);
  /** An enrolment's `Status` is its access. What a reader calls its status is its `Outcome`. */
  const headingsOf = (names: readonly string[]) =>
    names.map((name) => inWords(name === 'Status' && names.includes('Outcome') ? 'Access' : name));
  return useAction(async () => {
    const response = await fetch(path, { headers: { ...headers, Accept: accept } });
    if (!response.ok) throw await response.json();
    const file = await response.blob();
    saveFile(name, accept === 'text/csv' ? await withHeadings(file, headingsOf) : file);
  });
}

/** Replaces the names of the fields in the first line. The names contain no commas or quotes. */
async function withHeadings(file: Blob, headingsOf: (names: readonly string[]) => string[]): Promise<Blob> {
  const [names = ''] = (await file.slice(0, maxHeader).text()).split(/\r?\n/);
  return csvFile([csvCells(headingsOf(names.split(','))), file.slice(new Blob([names]).size)]);
}

/** Bytes that contain the first line. */
const maxHeader = 16_384;

export function DownloadButton({
  text,
  button,
  ...wanted
}: DownloadOptions & { text: string; button?: ButtonProps }) {
  const download = useDownload(wanted);
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        {...button}
        loading={download.isRunning}
        onClick={() => download.run()}
      >
        {text}
      </Button>
      <FailedAction error={download.error} />
    </Stack>
  );
}

/** Adds a query to a path. Undefined parameters are omitted. */
export function withQuery(
  path: string,
  query: Record<string, string | number | boolean | undefined>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}
