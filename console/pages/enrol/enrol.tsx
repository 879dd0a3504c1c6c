import './enrol.css';
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Instant } from '../../parts/values.tsx';
import { ImportView, UndoButton } from '../imports/import-view.tsx';
import { useSentence } from '../imports/sentence.ts';
import type { Upload } from '../imports/upload.ts';
import { EnrolForm } from './enrol-form.tsx';

/** Enrols people, a group or the rows of a file as an import of the service, which any browser can open and undo. */
export default function Enrol() {
  const { tenant } = useApi();
  return <OfTenant key={tenant ?? ''} />;
}

function OfTenant() {
  const t = useTranslations('enrol');
  const shell = useTranslations('shell');
  const [{ import: importId }, change] = useFilters(['import']);
  const queries = useQueryClient();
  const [upload, setUpload] = useState<Upload | null>(null);
  const open = (upload: Upload | null, importId: string | undefined) => {
    setUpload(upload);
    void queries.invalidateQueries({ queryKey: ['get', '/import'] });
    change({ import: importId });
  };
  return (
    <Page title={shell('pages.enrol')} text={t('text')}>
      {importId === undefined ? (
        <Stack gap="lg">
          <EnrolForm onMade={open} />
          <Recent onUndo={(importId) => open(null, importId)} />
          <KeysLink />
        </Stack>
      ) : (
        <ImportView
          key={importId}
          importId={importId}
          upload={upload}
          onMade={open}
          onOther={() => open(null, undefined)}
        />
      )}
    </Page>
  );
}

function Recent({ onUndo }: { onUndo: (importId: string) => void }) {
  const t = useTranslations('imports');
  const { $api } = useApi();
  const sentence = useSentence();
  const { data } = $api.useQuery('get', '/import', { params: { query: { Limit: 10 } } });
  if (!data || data.Items.length === 0) return null;
  return (
    <Paper withBorder p="md" className="enrol-part" component="section" aria-labelledby="recent" maw={640}>
      <Stack gap="md">
        <Title order={2} size="h4" id="recent">
          {t('recent')}
        </Title>
        <ul className="recent" aria-labelledby="recent">
          {data.Items.map((one) => (
            <li key={one.ImportID}>
              <Group justify="space-between" gap="sm">
                <Anchor
                  className="break"
                  renderRoot={(props) => (
                    <Link to="/console/enrol" search={{ import: one.ImportID } as never} {...props} />
                  )}
                >
                  {one.Name}
                </Anchor>
                <Text size="sm" c="dimmed">
                  <Instant at={one.CreatedAt} />
                </Text>
              </Group>
              <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-end">
                <Text size="sm" c="dimmed">
                  {sentence(one)}
                </Text>
                <UndoButton one={one} onStarted={() => onUndo(one.ImportID)} isInList />
              </Group>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}

/** Enrolment keys have a tab only once there are any. */
function KeysLink() {
  const t = useTranslations('enrol');
  return (
    <Text size="sm" c="dimmed">
      {t.rich('keys', {
        link: (text) => (
          <Anchor inherit underline="always" renderRoot={(props) => <Link to="/console/keys" {...props} />}>
            {text}
          </Anchor>
        ),
      })}
    </Text>
  );
}
