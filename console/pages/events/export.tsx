import { Button, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { type Api, useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Event } from './record.ts';

type Query = { Order: 'newest'; Types?: string; LoginID?: string; EnrollID?: string };

const maxEvents = 10_000;

/** The newest matching events, and whether these are all of them. */
async function readEvents({ client }: Api, wanted: Query): Promise<{ events: Event[]; isWhole: boolean }> {
  const events: Event[] = [];
  for (let Cursor: string | null = ''; Cursor !== null; ) {
    if (events.length >= maxEvents) return { events, isWhole: false };
    const query: Query & { Limit: number; Cursor?: string } = {
      ...wanted,
      Limit: 200,
      ...(Cursor ? { Cursor } : {}),
    };
    const { data, error } = await client.GET('/events', { params: { query } });
    if (!data) throw error;
    events.push(...data.Items);
    Cursor = data.NextCursor;
  }
  return { events, isWhole: true };
}

/** Exports events as JSON, the only format in which the API returns them. */
export function ExportButton({ query }: { query: Query }) {
  const t = useTranslations('events');
  const api = useApi();
  const saving = useAction(async () => {
    const { events, isWhole } = await readEvents(api, query);
    saveFile('events.json', new Blob([JSON.stringify(events, null, 2)], { type: 'application/json' }));
    notify(t(isWhole ? 'exported' : 'exportedSome', { count: events.length }));
  });
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={saving.isRunning}
        onClick={() => saving.run()}
      >
        {t('export')}
      </Button>
      <FailedAction error={saving.error} />
    </Stack>
  );
}
