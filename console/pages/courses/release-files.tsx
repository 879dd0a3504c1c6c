import { Button, FileButton, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { readRows } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Rows } from '../../parts/list.tsx';
import { Message, Unready } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { useBytes } from '../../parts/use-bytes.ts';
import { LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { isInUse } from './import-package.ts';
import type { Release } from './upload.ts';
import type { AuthoredCourse } from './values.tsx';

type ReleaseFile = components['schemas']['ReleaseFile'];
type Replacement = { before: ReleaseFile; file: File };

const maxRows = 100;

/** The files of the current release, each of which can be replaced. */
export function ReleaseFiles({ course, release }: { course: AuthoredCourse; release: number }) {
  const t = useTranslations('courses.releases.files');
  const act = useTranslations('act');
  const [isOpen, setOpen] = useState(false);
  const [replacement, setReplacement] = useState<Replacement | null>(null);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t('open')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="xl"
        title={t('title', { number: release })}
        closeButtonProps={{ 'aria-label': act('close') }}
      >
        <Files
          courseId={course.CourseID}
          release={release}
          onReplace={(chosen) => {
            setOpen(false);
            setReplacement(chosen);
          }}
        />
      </Modal>
      {replacement && <ReplaceFile course={course} {...replacement} onClose={() => setReplacement(null)} />}
    </>
  );
}

type FilesProps = { courseId: string; release: number; onReplace: (chosen: Replacement) => void };

function Files({ courseId, release, onReplace }: FilesProps) {
  const t = useTranslations('courses.releases');
  const list = useTranslations('courses.list');
  const api = useApi();
  const bytes = useBytes();
  const [search, setSearch] = useState('');
  const path = `/course/${encodeURIComponent(courseId)}/release/${release}/file`;
  const query = useQuery({ queryKey: ['files', path], queryFn: () => readRows<ReleaseFile>(api, path) });
  if (!query.data) return <Unready query={query} />;
  const found = query.data.filter(({ Path }) => Path.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <Stack gap="sm">
      <TextInput
        label={t('files.search')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <Message title={t('files.none', { text: search })} />
      ) : (
        <Rows
          label={t('files.title', { number: release })}
          rows={found.slice(0, maxRows)}
          rowKey={({ Path }) => Path}
          columns={[
            {
              key: 'path',
              header: t('files.path'),
              cell: ({ Path }) => <span className="break">{Path}</span>,
            },
            { key: 'size', header: t('size'), align: 'end', cell: ({ Bytes }) => bytes(Bytes) },
            {
              key: 'actions',
              header: list('actions'),
              isActions: true,
              align: 'end',
              cell: (before) => (
                <FileButton
                  accept={/\.\w+$/.exec(before.Path)?.[0] ?? ''}
                  onChange={(file) => file && onReplace({ before, file })}
                >
                  {(props) => (
                    <Button
                      {...props}
                      variant="default"
                      size="compact-sm"
                      aria-label={t('files.replaceFile', { path: before.Path })}
                    >
                      {t('files.replace')}
                    </Button>
                  )}
                </FileButton>
              ),
            },
          ]}
        />
      )}
      {found.length > maxRows && (
        <Text size="sm" c="dimmed">
          {t('files.more', { count: maxRows })}
        </Text>
      )}
    </Stack>
  );
}

type ReplaceProps = Replacement & { course: AuthoredCourse; onClose: () => void };

/** Shows what changes before the new release is created. */
function ReplaceFile({ course, before: { Path, Bytes }, file, onClose }: ReplaceProps) {
  const t = useTranslations('courses.releases.files');
  const { headers } = useApi();
  const queries = useQueryClient();
  const bytes = useBytes();
  const isPreview = isInUse(course);
  const replace = async () => {
    const address = `/course/${encodeURIComponent(course.CourseID)}/file/${Path.split('/').map(encodeURIComponent).join('/')}`;
    const response = await fetch(`${address}${isPreview ? '?Current=false' : ''}`, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
      body: file,
    });
    const answer = await response.json();
    if (!response.ok) throw answer;
    await queries.invalidateQueries();
    notify(t('created', { number: (answer as Release).Release }));
  };
  return (
    <FormDialog
      title={t('replaceFile', { path: Path })}
      isOpen
      onClose={onClose}
      submit={t('create')}
      onSubmit={replace}
    >
      <LabelledValues>
        <LabelledValue label={t('now')}>
          {Path}, {bytes(Bytes)}
        </LabelledValue>
        <LabelledValue label={t('after')}>
          {file.name}, {bytes(file.size)}
        </LabelledValue>
      </LabelledValues>
      <Text size="sm">
        {t('rest')} {t(isPreview ? 'preview' : 'direct')}
      </Text>
    </FormDialog>
  );
}
