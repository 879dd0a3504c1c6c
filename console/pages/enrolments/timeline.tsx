import { Alert, Anchor, Button, Group, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { choiceOf, namesOf } from '../../parts/choices.ts';
import { SelectFilter, useFilters } from '../../parts/filters.tsx';
import { paged } from '../../parts/paged.ts';
import { Failed, Message, WaitingRows } from '../../parts/states.tsx';
import type { Entry } from './entry.ts';
import { TimelineItem } from './timeline-item.tsx';
import type { Enrolment } from './values.tsx';

const pageSize = 200;
/** Pages read at a time. The API returns the oldest entries first, so the newest are known only at the end. */
const pagesPerRead = 10;

function useEntries({ LoginID, EnrollID }: Enrolment) {
  const { $api } = useApi();
  const [bound, setBound] = useState(pagesPerRead);
  const query = $api.useInfiniteQuery(
    'get',
    '/enrolment/{LoginID}/{EnrollID}/timeline',
    { params: { path: { LoginID, EnrollID }, query: { Limit: pageSize } } },
    paged,
  );
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const pages = data?.pages.length ?? 0;
  const isBounded = hasNextPage && pages >= bound;
  useEffect(() => {
    if (hasNextPage && pages < bound && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, pages, bound, isFetching, isError, fetchNextPage]);
  return {
    query,
    entries: data?.pages.flatMap((page) => page?.Items ?? []),
    isBounded,
    readNext: () => setBound(bound + pagesPerRead),
  };
}

/** Events that repeat the launch or commit next to them. */
const repeated: readonly (string | null)[] = ['enrolment.launched', 'enrolment.progressed'];

const kinds = {
  story: (entry: Entry) =>
    !repeated.includes(entry.Type) &&
    (entry.Kind !== 'commit' || entry.Warnings.length > 0 || entry.Refused !== null),
  learner: (entry: Entry) => entry.Kind !== 'event',
  event: (entry: Entry) => entry.Kind === 'event',
  warning: (entry: Entry) => entry.Warnings.length > 0 || entry.Refused !== null,
  everything: () => true,
} as const;

const kindOf = (text: string | undefined) => choiceOf(namesOf(kinds), text);

const keyOf = (entry: Entry) =>
  [entry.At, entry.Kind, entry.Type, entry.Launch, entry.Commit].filter((part) => part !== null).join(' ');

/** The timeline, newest first. */
export function Timeline({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('enrolments');
  const { query, entries, isBounded, readNext } = useEntries(enrolment);
  const [{ show }, change] = useFilters(['show']);
  const kind = kindOf(show) ?? 'story';
  const wanted = entries?.filter((entry) => kinds[kind](entry)).reverse();
  return (
    <Stack gap="sm" component="section" aria-labelledby="timeline">
      <Group justify="space-between" align="flex-end">
        <Stack gap={4}>
          <Title order={2} size="h4" id="timeline">
            {t('timeline.title')}
          </Title>
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/console/statements" search={{ enrolment: enrolment.EnrollID } as never} {...props} />
            )}
          >
            {t('timeline.statements')}
          </Anchor>
        </Stack>
        <SelectFilter
          label={t('timeline.show')}
          value={kind}
          onChange={(show) => change({ show })}
          options={namesOf(kinds).map((value) => ({
            value,
            label: t(`timeline.kinds.${value}`),
          }))}
          isRequired
        />
      </Group>
      {query.isPending && <WaitingRows />}
      {query.error && <Failed error={query.error} onRetry={query.refetch} />}
      {isBounded && (
        <Alert color="yellow" variant="light">
          <Stack gap="xs" align="flex-start">
            {t('timeline.bounded', { count: entries?.length ?? 0 })}
            <Button variant="default" size="xs" loading={query.isFetchingNextPage} onClick={readNext}>
              {t('timeline.readOn')}
            </Button>
          </Stack>
        </Alert>
      )}
      {wanted?.length === 0 && <Message title={t('timeline.none')} />}
      {wanted && wanted.length > 0 && (
        <ol className="timeline" aria-label={t('timeline.title')} reversed>
          {wanted.map((entry) => (
            <TimelineItem key={keyOf(entry)} entry={entry} loginId={enrolment.LoginID} />
          ))}
        </ol>
      )}
    </Stack>
  );
}
