import { Button, type ButtonProps, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useApi } from '../api/api.tsx';
import { useAction } from './action.tsx';
import { FailedAction } from './states.tsx';

type DownloadOptions = {
  /** API path, including the query. */
  path: string;
  accept: 'text/csv' | 'application/json';
  /** Name of the file. */
  name: string;
};

/**
 * Saves an API response. This is a call rather than a link, because only a call can set the media type and the tenant.
 */
export function useDownload({ path, accept, name }: DownloadOptions) {
  const { headers } = useApi();
  return useAction(async () => {
    const response = await fetch(path, { headers: { ...headers, Accept: accept } });
    if (!response.ok) throw await response.json();
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  });
}

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
