import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { Note } from '../../parts/values.tsx';
import { useDurationWords } from './duration-words.ts';

export type AuthoredCourse = components['schemas']['AuthoredCourse'];
export type Course = components['schemas']['Course'];
export type Option = components['schemas']['EnrolOption'];
export type Status = AuthoredCourse['Status'];
type Standard = AuthoredCourse['Standard'];

export const statuses = ['draft', 'published', 'retired'] as const satisfies readonly Status[];

export const starts = ['enrolment', 'launch'] as const satisfies readonly Option['StartsOn'][];

export const isStatus = (text: string | undefined): text is Status => statuses.some((one) => one === text);

const colors: Record<Status, string> = { draft: 'gray', published: 'green', retired: 'orange' };

export function CourseStatusBadge({ status }: { status: Status }) {
  const t = useTranslations('courses');
  return (
    <Badge color={colors[status]} miw="max-content">
      {t(`statuses.${status}`)}
    </Badge>
  );
}

/** `standard` is null if the course has no content yet. */
export function StandardName({ standard }: { standard: Standard }) {
  const t = useTranslations('courses');
  return <>{t(`standards.${standard ?? 'none'}`)}</>;
}

export function useDurationText(): (iso: string | null) => string {
  const t = useTranslations('courses');
  const words = useDurationWords();
  return (iso) => (iso === null ? t('options.unlimitedTime') : words(iso));
}

export function CourseLink({ courseId, children }: { courseId: string; children: ReactNode }) {
  return (
    <Anchor
      className="break"
      inherit
      renderRoot={(props) => <Link to="/console/courses/$courseId" params={{ courseId }} {...props} />}
    >
      {children}
    </Anchor>
  );
}

/** A course in a list: its title, and the CourseID that clients use. */
export function CourseTitle({ CourseID, Title }: Pick<Course, 'CourseID' | 'Title'>) {
  return (
    <>
      <CourseLink courseId={CourseID}>{Title}</CourseLink>
      {Title !== CourseID && <Note>{CourseID}</Note>}
    </>
  );
}

/** Whether the current release leads learners to an error page or cannot be completed. */
export const hasErrors = ({ Errors }: Pick<AuthoredCourse, 'Errors'>): boolean => (Errors ?? 0) > 0;

/** The numbers of errors and of other warnings in words, because colour alone is not accessible. */
export function WarningsBadge({ count, errors }: { count: number; errors: number }) {
  const t = useTranslations('courses');
  return (
    <>
      {errors > 0 && <Badge color="red">{t('releases.errors', { count: errors })}</Badge>}
      {count > errors && <Badge color="yellow">{t('warnings', { count: count - errors })}</Badge>}
    </>
  );
}

export function Price({ price }: { price: Option['Price'] }) {
  const format = useFormatter();
  if (price === null) return <>–</>;
  return <>{format.number(Number(price.Amount), { style: 'currency', currency: price.Currency })}</>;
}

/** The access period and what starts it. */
export function TimeOf({ option }: { option: Option }) {
  const t = useTranslations('courses');
  const words = useDurationText();
  return (
    <>
      <Group gap={6}>
        {words(option.Duration)}
        {option.Duration !== null && (
          <Text size="xs" c="dimmed" component="span" ff="monospace">
            {option.Duration}
          </Text>
        )}
      </Group>
      {option.Duration !== null && (
        <Text size="xs" c="dimmed">
          {t(`options.starts.${option.StartsOn}`)}
        </Text>
      )}
    </>
  );
}

export function SeatsOf({ option }: { option: Option }) {
  const t = useTranslations('courses');
  const { Seats, SeatsLeft } = option;
  if (Seats === null) return <>{t('options.unlimitedSeats')}</>;
  return <>{t('options.seatsLeft', { left: SeatsLeft ?? 0, seats: Seats })}</>;
}
