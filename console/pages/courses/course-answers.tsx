import { Box, Button, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { DownloadButton } from '../../parts/download.tsx';
import { type Column, Rows } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { type Question, questionTotals } from './question-totals.ts';

/** The number of pages that are read without a click. They cover 2,000 enrolments in a typical course. */
const automaticPages = 10;

/** How the tenant's learners answered each question of a course. */
export function CourseAnswers({ courseId }: { courseId: string }) {
  const t = useTranslations('courses.answers');
  const { $api } = useApi();
  const query = $api.useInfiniteQuery(
    'get',
    '/enrolment/course/{CourseID}/question',
    { params: { path: { CourseID: courseId } } },
    paged,
  );
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const pages = query.data?.pages ?? [];
  const isCounting = hasNextPage && pages.length < automaticPages;
  useEffect(() => {
    if (isCounting && !isFetching && !query.isError) fetchNextPage();
  }, [isCounting, isFetching, fetchNextPage, query.isError]);
  const questions = questionTotals(pages.flatMap((page) => page ?? []));
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Title order={2} size="h4">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('text')}
          </Text>
        </Stack>
        {questions.length > 0 && (
          <DownloadButton
            path={`/enrolment/course/${encodeURIComponent(courseId)}/interaction`}
            accept="text/csv"
            name={`${courseId}-answers.csv`}
            text={t('csv')}
          />
        )}
      </Group>
      {query.isPending && <WaitingRows />}
      {query.isError && <Failed error={query.error} onRetry={() => query.refetch()} />}
      {query.data && questions.length === 0 && !hasNextPage && <Text c="dimmed">{t('none')}</Text>}
      {questions.length > 0 && <Questions questions={questions} />}
      {hasNextPage && (
        <Group>
          <Text size="sm">{t('more')}</Text>
          <Button variant="default" loading={isFetching} onClick={() => fetchNextPage()}>
            {t('count')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Questions({ questions }: { questions: readonly Question[] }) {
  const t = useTranslations('courses.answers');
  const format = useFormatter();
  const columns: Column<Question>[] = [
    { key: 'question', header: t('question'), cell: (question) => <Asked question={question} /> },
    { key: 'responses', header: t('responses'), cell: (question) => <Responses question={question} /> },
    { key: 'answers', header: t('answers'), cell: ({ Answers }) => format.number(Answers) },
    {
      key: 'correct',
      header: t('correct'),
      cell: ({ Correct, Incorrect }) =>
        Correct + Incorrect === 0
          ? '–'
          : format.number(Correct / (Correct + Incorrect), { style: 'percent' }),
    },
    {
      key: 'time',
      header: t('time'),
      cell: ({ LatencySeconds }) =>
        LatencySeconds === null
          ? '–'
          : format.number(LatencySeconds, { style: 'unit', unit: 'second', maximumFractionDigits: 1 }),
    },
  ];
  return (
    <Rows
      label={t('title')}
      columns={columns}
      rows={questions}
      rowKey={({ UnitID, InteractionID }) => JSON.stringify([UnitID, InteractionID])}
    />
  );
}

function Asked({ question: { Description, InteractionID, UnitTitle, UnitID } }: { question: Question }) {
  return (
    <Box maw={320}>
      <Text size="sm" fw={500} className="break">
        {Description ?? InteractionID}
      </Text>
      <Text size="xs" c="dimmed" fw={400} className="break">
        {UnitTitle ?? UnitID}
      </Text>
    </Box>
  );
}

const shownResponses = 6;

/** The most frequent answers, each with its share of all answers. */
function Responses({ question: { Responses, CorrectResponses, Answers } }: { question: Question }) {
  const t = useTranslations('courses.answers');
  const format = useFormatter();
  const shown = Responses.slice(0, shownResponses);
  const others = Answers - shown.reduce((total, { Answers }) => total + Answers, 0);
  if (shown.length === 0) return <Text size="sm">–</Text>;
  return (
    <Stack gap={6} miw={120}>
      {shown.map(({ Response, Answers: count }) => {
        const isCorrect = CorrectResponses.includes(Response);
        return (
          <Box key={Response}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="break" lineClamp={2}>
                {Response === '' ? t('empty') : Response}
                {isCorrect && (
                  <Text span size="xs" c="dimmed">
                    {` · ${t('isCorrect')}`}
                  </Text>
                )}
              </Text>
              <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
                {format.number(count)}
              </Text>
            </Group>
            <Progress
              value={(100 * count) / Answers}
              size="sm"
              color={isCorrect ? 'green' : 'gray'}
              aria-hidden
            />
          </Box>
        );
      })}
      {others > 0 && (
        <Text size="xs" c="dimmed">
          {t('others', { count: others })}
        </Text>
      )}
    </Stack>
  );
}
