import { Box, Button, Group } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { SelectionBar, useSelection } from '../../parts/selection.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { useOpenSelected } from '../bulk/selected.ts';
import { useImportPanel } from './import-panel.tsx';
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
  const { $api } = useApi();
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
  const ticked = useSelection<AuthoredCourse>(
    ({ CourseID }) => CourseID,
    ({ Title }) => Title,
  );
  const openSelected = useOpenSelected();
  const publish = async () => {
    await ticked.keep();
    await openSelected({ of: 'publish', courses: ticked.rows.map(({ CourseID }) => CourseID) });
  };
  const columns: Column<AuthoredCourse>[] = [
    { key: 'title', header: t('list.course'), share: 38, cell: (course) => <CourseTitle {...course} /> },
    {
      key: 'status',
      header: t('list.status'),
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
          {Release ?? '–'}
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
    <Page title={t('title')} text={t('text')} actions={<WebCourseButton />}>
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
      <SelectionBar
        label={t('chosenLabel')}
        text={ticked.rows.length > 0 ? t('chosen', { count: ticked.rows.length }) : null}
        onClear={ticked.clear}
      >
        <Button size="xs" onClick={publish}>
          {t('publish.button')}
        </Button>
      </SelectionBar>
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
