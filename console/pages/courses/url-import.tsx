import { Button, TextInput } from '@mantine/core';
import { IconWorldDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { notify } from '../../parts/toast.tsx';
import { isInUse } from './import-package.ts';
import type { AuthoredCourse } from './values.tsx';

const pollMilliseconds = 2_000;

/** Imports a release that the service downloads itself. Closing the dialog does not stop the import. */
export function UrlImportButton({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses.import');
  const { client } = useApi();
  const queries = useQueryClient();
  const [url, setUrl] = useState<string | null>(null);
  const { CourseID } = course;
  const start = async () => {
    const body = { URL: url ?? '', Current: !isInUse(course) };
    const params = { path: { CourseID } };
    let found = await dataOf(client.POST('/course/{CourseID}/import', { params, body }));
    while (found.Status === 'queued' || found.Status === 'running') {
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
      const path = { CourseID, ImportID: found.ImportID };
      found = await dataOf(client.GET('/course/{CourseID}/import/{ImportID}', { params: { path } }));
    }
    const { Release, Code, Detail } = found;
    if (Release === null) throw { code: Code, title: t('urlFailed'), detail: Detail };
    await queries.invalidateQueries();
    notify(t('doneRelease', { number: Release }));
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconWorldDownload size={16} aria-hidden />}
        onClick={() => setUrl('')}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('fromUrl')}
      </Button>
      <FormDialog
        title={t('fromUrl')}
        isOpen={url !== null}
        onClose={() => setUrl(null)}
        submit={t('urlStart')}
        onSubmit={start}
        isDirty={!!url}
      >
        <TextInput
          label="URL"
          description={t('urlText')}
          required
          type="url"
          maxLength={2048}
          placeholder="https://"
          value={url ?? ''}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
      </FormDialog>
    </>
  );
}
