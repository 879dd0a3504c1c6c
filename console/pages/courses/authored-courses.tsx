import { Box, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { ChangeDialog, type Step } from '../../parts/change-dialog.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { SelectionBar, useSelection } from '../../parts/selection.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant, None } from '../../parts/values.tsx';
import { useImportPanel } from './import-panel.tsx';
import { NewPathButton } from './path-dialog.tsx';
import { publicationOf } from './publishable.ts';
import {
  type AuthoredCourse,
  CourseStatusBadge,
  CourseTitle,
  isStatus,
  StandardName,
  statuses,
  WarningsBadge,
} from './values.tsx';
import { WebCourseButton } from './web-course.tsx';

/** All courses of the deployment, and the upload for new ones. */
export function AuthoredCourses() {
  const t = useTranslations('courses');
  const format = useFormatter();
  const { $api, client } = useApi();
  const [{ search, status }, filter] = useFilters(['search', 'status']);
  const wanted = {
    ...(search ? { Search: search } : {}),
    ...(isStatus(status) ? { Status: status } : {}),
  };
  const isFiltered = Object.keys(wanted).length > 0;
  const clear = () => filter({ search: undefined, status: undefined });
  const query = $api.useInfiniteQuery('get', '/course', { params: { query: wanted } }, paged);
  const counted = { params: { query: { ...wanted, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/course', counted, { enabled: query.hasNextPage });
  const ticked = useSelection<AuthoredCourse>({
    rowKey: ({ CourseID }) => CourseID,
    nameOf: ({ Title }) => Title,
    path: '/course',
    query: wanted,
    all: query.hasNextPage ? all?.Count?.Records : undefined,
  });
  const [isPublishing, setPublishing] = useState(false);
  const columns: Column<AuthoredCourse>[] = [
    { key: 'title', header: t('list.course'), share: 38, cell: (course) => <CourseTitle {...course} /> },
    {
      key: 'status',
      header: t('list.status'),
      onPhone: 'aside',
      cell: ({ Status }) => <CourseStatusBadge status={Status} />,
    },
    {
      key: 'standard',
      header: t('list.standard'),
      share: 18,
      cell: ({ Standard }) => <StandardName standard={Standard} />,
    },
    {
      key: 'release',
      header: t('list.release'),
      cell: ({ Release, Warnings, Errors }) => (
        <Group gap="xs" wrap="nowrap">
          {Release ?? <None />}
          <WarningsBadge count={Warnings ?? 0} errors={Errors ?? 0} />
        </Group>
      ),
    },
    {
      key: 'options',
      header: t('list.options'),
      cell: ({ EnrolOptions }) => format.number(EnrolOptions.length),
    },
    { key: 'updated', header: t('list.updated'), cell: ({ UpdatedAt }) => <Instant at={UpdatedAt} isDay /> },
  ];
  const isEmpty = !isFiltered && query.data?.pages[0]?.Items.length === 0;
  const { drop, panel } = useImportPanel(undefined, !isEmpty);
  return (
    <Page
      title={t('title')}
      text={t('text')}
      actions={
        <>
          <NewPathButton />
          <WebCourseButton />
        </>
      }
    >
      <Group align="flex-end" gap="sm">
        <Box flex="1 1 24rem">
          <FilterBar count={status ? 1 : 0} onClear={isFiltered ? clear : undefined}>
            <SearchFilter label={t('list.search')} value={search} onChange={(search) => filter({ search })} />
            <SelectFilter
              label={t('list.status')}
              value={status}
              onChange={(status) => filter({ status })}
              options={statuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
            />
          </FilterBar>
        </Box>
        {drop}
      </Group>
      {panel}
      <SelectionBar label={t('chosenLabel')} text={(count) => t('chosen', { count })} ticked={ticked}>
        <Button size="xs" onClick={() => setPublishing(true)}>
          {t('publish.button')}
        </Button>
      </SelectionBar>
      {isPublishing && (
        <ChangeDialog
          title={t('publish.many', { count: ticked.count })}
          read={ticked.read}
          nameOf={({ Title }) => Title}
          planOf={(course): Step<{ Status: 'published' | 'draft' }> => {
            const publication = publicationOf(course);
            if (publication === 'published') return null;
            return publication === 'publishable'
              ? { body: { Status: 'published' } }
              : { refused: t(`advice.${publication}`) };
          }}
          send={({ CourseID }, body) =>
            dataOf(client.PUT('/course/{CourseID}', { params: { path: { CourseID } }, body }))
          }
          submit={t('publish.button')}
          onClose={() => {
            setPublishing(false);
            ticked.clear();
          }}
        >
          <Text size="sm">{t('publish.effect')}</Text>
        </ChangeDialog>
      )}
      <List
        label={t('title')}
        selection={ticked.selection}
        query={query}
        count={all?.Count}
        columns={columns}
        rowKey={({ CourseID }) => CourseID}
        empty={
          isFiltered ? (
            <NoneFound title={t('list.nothingTitle')} text={t('list.nothingText')} onShowAll={clear} />
          ) : (
            <Message title={t('list.emptyTitle')} text={t('list.emptyText')} />
          )
        }
      />
    </Page>
  );
}
