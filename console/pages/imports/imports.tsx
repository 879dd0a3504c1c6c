import '../bulk/bulk.css';
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Instant } from '../../parts/values.tsx';
import { ImportView } from './import-view.tsx';
import { NewImport } from './new-import.tsx';
import { useSentence } from './sentence.ts';
import type { Upload } from './upload.ts';

/** A new import, or the one in the URL, which any browser can open. */
export default function Imports() {
  const { tenant } = useApi();
  return <OfTenant key={tenant ?? ''} />;
}

function OfTenant() {
  const t = useTranslations('imports');
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
    <Page title={shell('pages.bulk')} text={t('text')}>
      {importId === undefined ? (
        <Stack gap="lg">
          <NewImport onMade={open} />
          <RecentImports />
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

function RecentImports() {
  const t = useTranslations('imports');
  const { $api } = useApi();
  const sentence = useSentence();
  const { data } = $api.useQuery('get', '/import', { params: { query: { Limit: 10 } } });
  if (!data || data.Items.length === 0) return null;
  return (
    <Paper withBorder p="md" className="bulk-part" component="section" aria-labelledby="recent" maw={640}>
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
                    <Link to="/console/bulk" search={{ import: one.ImportID } as never} {...props} />
                  )}
                >
                  {one.Name}
                </Anchor>
                <Text size="sm" c="dimmed">
                  <Instant at={one.CreatedAt} />
                </Text>
              </Group>
              <Text size="sm" c="dimmed">
                {sentence(one)}
              </Text>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}
