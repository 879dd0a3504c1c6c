import './courses.css';
import { Anchor, Badge, Code, Group, Modal, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { DownloadButton } from '../../parts/download.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { useBytes } from '../../parts/use-bytes.ts';
import { Instant } from '../../parts/values.tsx';
import { useImportPanel } from './import-panel.tsx';
import { MakeCurrent } from './make-current.tsx';
import { NewerRelease } from './newer-release.tsx';
import { PreviewButton } from './preview-button.tsx';
import { errorsIn, Warnings } from './release-content.tsx';
import { ReleaseFiles } from './release-files.tsx';
import { UnitTree } from './unit-tree.tsx';
import type { Release } from './upload.ts';
import { UrlImportButton } from './url-import.tsx';
import { type AuthoredCourse, StandardName, WarningsBadge } from './values.tsx';

const endings: Partial<Record<Release['Standard'], string>> = {
  document: '.pdf',
  video: '.mp4',
  audio: '.mp3',
  page: '.html',
};

/** All releases of a course, newest first, and the upload for the next one. */
export function Releases({ course }: { course: AuthoredCourse }) {
  const { CourseID, Release: current } = course;
  const t = useTranslations('courses');
  const { $api } = useApi();
  const bytes = useBytes();
  const [opened, setOpened] = useState<Release | null>(null);
  const query = $api.useInfiniteQuery(
    'get',
    '/course/{CourseID}/release',
    { params: { path: { CourseID }, query: {} } },
    paged,
  );
  const columns: Column<Release>[] = [
    {
      key: 'number',
      header: t('list.release'),
      cell: ({ Release, Current }) => (
        <Group gap="xs">
          {t('releases.number', { number: Release })}
          {Current && <Badge color="green">{t('releases.current')}</Badge>}
        </Group>
      ),
    },
    { key: 'when', header: t('releases.imported'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} /> },
    {
      key: 'standard',
      header: t('list.standard'),
      cell: ({ Standard, AuthoringTool }) => (
        <>
          <StandardName standard={Standard} />
          {AuthoringTool && (
            <Text size="xs" c="dimmed">
              {AuthoringTool}
            </Text>
          )}
        </>
      ),
    },
    { key: 'size', header: t('releases.size'), cell: ({ Bytes }) => bytes(Bytes) },
    {
      key: 'content',
      header: t('releases.content'),
      cell: (release) => (
        <Group gap="xs">
          <Anchor component="button" type="button" size="sm" onClick={() => setOpened(release)}>
            {t('releases.units', { count: release.Units.filter(({ Href }) => Href !== null).length })}
            <VisuallyHidden>{` ${t('releases.of', { number: release.Release })}`}</VisuallyHidden>
          </Anchor>
          <WarningsBadge
            count={release.Warnings.filter(({ Severity }) => Severity !== 'note').length}
            errors={errorsIn(release)}
          />
        </Group>
      ),
    },
    {
      key: 'actions',
      header: t('list.actions'),
      isActions: true,
      align: 'end',
      cell: (release) => (
        <Group gap="xs" justify="flex-end">
          <DownloadButton
            path={`/course/${encodeURIComponent(CourseID)}/release/${release.Release}/package`}
            accept="application/octet-stream"
            name={`${CourseID}-${release.Release}${endings[release.Standard] ?? '.zip'}`}
            text={t('releases.download')}
            button={{ size: 'compact-sm', leftSection: null }}
          />
          {release.Current ? (
            <ReleaseFiles course={course} release={release.Release} />
          ) : (
            <MakeCurrent release={release} />
          )}
          <PreviewButton
            courseId={CourseID}
            release={release.Release}
            button={{ size: 'compact-sm', leftSection: null }}
          />
        </Group>
      ),
    },
  ];
  const { drop, panel } = useImportPanel(course);
  const [newest] = query.data?.pages[0]?.Items ?? [];
  const isNewer = newest !== undefined && current !== null && newest.Release > current;
  return (
    <Stack gap="lg">
      {drop}
      <UrlImportButton course={course} />
      {panel}
      {isNewer && <NewerRelease release={newest} current={current} />}
      <List
        label={t('parts.releases')}
        query={query}
        columns={columns}
        rowKey={({ Release }) => String(Release)}
        empty={<Message title={t('releases.emptyTitle')} text={t('releases.emptyText')} />}
      />
      <ReleaseDialog release={opened} onClose={() => setOpened(null)} />
    </Stack>
  );
}

function ReleaseDialog({ release, onClose }: { release: Release | null; onClose: () => void }) {
  const t = useTranslations('courses.releases');
  const act = useTranslations('act');
  return (
    <Modal
      opened={release !== null}
      onClose={onClose}
      size="lg"
      title={release ? t('number', { number: release.Release }) : ''}
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      {release && (
        <Stack gap="lg">
          <Warnings warnings={release.Warnings} />
          <UnitTree release={release} order={3} />
          <Text size="xs" c="dimmed">
            SHA-256 <Code className="break">{release.SHA256}</Code>
          </Text>
        </Stack>
      )}
    </Modal>
  );
}
